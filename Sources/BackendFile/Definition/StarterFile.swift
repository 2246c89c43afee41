/// The beginning of a backend file, for a user to change.
package enum StarterFile {
  package static let text = """
    # How this backend signs users in. Check the file with `understudy backend-file check FILE`.
    #
    # {name} is a value of the flow: identifier, password, code, token, link.PARAM, state, device_id, request_id,
    # idempotency_key, access_token, refresh_token, or what a request captured. Write texts with {name} in quotes.
    # ${NAME} is a secret, from the variable UNDERSTUDY_SECRET_NAME or the file NAME of --secrets DIR.
    understudy: 1
    name: Example

    # Header fields of every request, and those of signed-in calls.
    # headers: {X-Client: phone}
    auth: {Authorization: "Bearer {access_token}"}

    calls:
      # A call is METHOD /path, a map, or a list of maps that are sent in order. What is not written is hidden.
      request_login_code:
        request: POST /auth/code
        json: {email: "{identifier}"}
        # Values for later requests: /pointer, header:NAME, cookie:NAME or location:PARAM.
        # capture: {challenge: /meta/challenge}

      login_with_code:
        request: POST /auth/token
        json: {email: "{identifier}", code: "{code}"}
        # Usual names, such as access_token, accessToken, token and access, need no capture.
        # capture: {access_token: /data/token, refresh_token: /data/renewal, expires_in: /data/ttl}

      # login_with_password:
      #   request: POST /oauth/token
      #   basic: phone:${CLIENT_SECRET}
      #   form: {grant_type: password, username: "{identifier}", password: "{password}"}

      refresh_tokens:
        request: POST /auth/refresh
        json: {refresh_token: "{refresh_token}"}
        # Errors of this call; its rules win over those below.
        # errors: {400 token_reused: reused}

      me:
        request: GET /users/me
        # capture: {user_id: /data/id, email: /data/mail, display_name: /data/name}

      logout:
        request: POST /auth/logout
        # The only status of success; otherwise any 2xx is one.
        success: 204

    # What errors mean. STATUS, CODE, STATUS CODE or STATUS /pointer=value, then ended, expired, reused, too_many or wrong.
    # Without a rule, 401 is expired, 429 is too_many, and any other 4xx of a sign-in is wrong.
    errors:
      403 session_revoked: ended

    # Where the body of an error has its code and its text, if not at a usual place.
    # error: {code: /fault/name, message: /fault/text}

    """
}
