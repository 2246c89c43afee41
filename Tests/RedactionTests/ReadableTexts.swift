/// Texts that are not secret and must stay readable: error codes, IDs, dates, versions, headers, addresses, prose, numbers,
/// words.
enum ReadableTexts {
  /// Each as it is written inside the quotes of a JSON string.
  static let all = names + prose

  private static let names = #"""
    ErrAccessTokenExpired
    ErrRefreshTokenExpired
    ErrDeviceNotRegistered
    invalid_request
    login_code_invalid
    login_link_invalid
    too_many_attempts
    refresh_token_reused
    internal
    unavailable
    not_found
    conflict
    idempotency_mismatch
    payload_too_large
    invalid_signature
    profile_not_found
    NSURLErrorTimedOut
    ECONNREFUSED
    SQLITE_BUSY
    E1234
    HTTP_503
    PGRST116
    23505
    ER_DUP_ENTRY
    ENOENT
    java.lang.NullPointerException
    com.example.app.NetworkError
    kCFErrorDomainCFNetwork
    errSecItemNotFound
    new
    learning
    review
    mastered
    pending
    success
    failure
    cancelled
    waiting
    signed_out
    authenticated
    refreshing
    error
    active
    inactive
    enabled
    disabled
    queued
    running
    done
    draft
    published
    archived
    admin
    user
    guest
    owner
    viewer
    editor
    basic
    bearer
    Bearer
    Basic
    digest
    GET
    POST
    PUT
    PATCH
    DELETE
    HEAD
    OPTIONS
    monthly
    yearly
    free
    premium
    trial
    0dd4edb5-0deb-496f-9442-93ce594c433f
    550e8400-e29b-41d4-a716-446655440000
    7C9E6679-7425-40DE-944B-E07FC1F90AE7
    01ARZ3NDEKTSV4RRFFQ69G5FAV
    507f1f77bcf86cd799439011
    cus_NffrFeUfNV2Hib
    req_8Xy2LkPq
    usr-000123
    ORD-2026-000417
    INV/2026/0042
    SKU-AB-1234-XL
    a1b2c3d4e5f6
    4bf92f3577b34da6a3ce929d0e0e4736
    00f067aa0ba902b7
    00-4bf92f3577b34da6-00f067aa0ba902b7-01
    d41d8cd98f00b204e9800998ecf8427e
    da39a3ee5e6b4b0d3255bfef95601890afd80709
    5e91798
    b1c261f0e4
    1234567890
    9007199254740991
    profile-en
    account_42
    node-7.eu-central-1
    i-0abc12def345
    sha-5e91798
    build 1042
    20261121.3
    PR #327
    ticket 48291
    6513270e-269e-4d37-b2a7-4de452e6b438
    d23f0824-128b-4f33-8c5c-7fd0a6a3a450
    9531985d-5d9d-49f8-9818-e811892f902b
    36f675cc-81e7-4ef5-a8e2-5d940ed90475
    6b0d549b-6f03-475a-9600-a35a099950d8
    8d116ece-1738-47d9-bd9c-172411e20b8f
    90c192cf-d3ac-44af-8f21-ddb66cad4a26
    a170b338-3926-4059-b28c-105d1fb17c23
    0fd630f1-f29d-4da9-953f-48f1a09f76b5
    0cb1e29c-658c-4a14-95e6-0af593bd04cf
    8e81973e-0bec-47b0-b898-d190f9ebdacc
    6b4cb242-4a23-4596-a217-beaddbc496cb
    92276658-1e27-41c0-8a6a-63ec24ede6a4
    ae97ba94-d0ed-482f-8f6d-05584ef8aa38
    923a7369-94e3-4f91-9a61-dbe22e44158b
    18f135d2-5f55-4203-b018-50c5a38fd547
    907a70c3-1012-4037-b64c-e4228c38fb29
    7f150524-34b9-45df-9e77-69b10f4205b4
    c6f87718-6d76-407e-881e-d162ae2eb154
    ec66a787-95e7-41d1-b731-af10506bf2ef
    3f98e277-4cbd-47ad-9c90-a9587403e430
    c7a2ea20-b2f1-4c94-ae05-319acb5c7427
    4cdd2055-930d-4eaf-94f4-733f3e7d1bfb
    57ee05cd-e009-42c7-bebf-f20686734721
    9be4bcfc-49b6-4a08-b2e6-cc3ababced20
    830e07bc-1e39-4f10-92bd-4acefaecbd38
    5790f82e-c1d3-4cff-aa3a-f4d46b0a18e8
    6bf46c69-7d2c-4f82-aeea-cbe226e87555
    13deef86-ab10-41d0-b646-e1f40a097c97
    ca02135e-92b1-43f2-8ede-0d7ac3baea9e
    57124242-5051-41cc-917f-9acae01f5057
    7f26144b-9828-4fcd-99a5-4a7bb1fee08f
    119a72d1-74c9-4f6a-8c01-1cdd9474031b
    451abd81-f1d6-4ed6-97f5-e837d70820fe
    10a3d6b2-aa05-411a-b271-5945795e8229
    4f426dcb-b394-4b36-bb2d-420f0f88080b
    ae658f33-fe3b-490b-93f4-48b3a5aa3c81
    b774eb52-48db-40af-b215-8370d269a9a5
    58d5563d-ab2c-431e-a315-128862c33a4f
    5affb229-7631-4992-b0ce-583505c6af07
    2026-11-21
    2026-11-21T09:39:29Z
    2026-11-21T09:39:29.123Z
    2026-11-21T09:39:29+01:00
    2026-11-21T09:39:29.123456+00:00
    2026-11-21 09:39:29
    2026-11-21 09:39:29.123
    2026-11-21T09:39:29.482+0000
    Sat, 21 Nov 2026 09:39:29 GMT
    21.11.2026
    11/21/2026
    21 November 2026
    09:39
    09:39:29
    09:39:29.123
    2026-W47
    2026-325
    20261121
    20261121T093929Z
    20261121093929
    P3Y6M4DT12H30M5S
    PT15M
    00:15:00
    1763717969
    1763717969123
    Nov 21, 2026 at 9:39 AM
    2026-11
    1970-01-01T00:00:00.000Z
    9999-12-31T23:59:59Z
    1h 20m
    3 days ago
    2021-10-04T15:03:13.786Z
    2036-03-24T07:25:25.938Z
    2063-02-06T14:25:35.284Z
    2017-07-28T17:17:45.425Z
    2045-11-13T07:09:05.180Z
    2019-04-22T07:00:31.851Z
    2075-03-09T09:00:09.429Z
    2068-06-20T18:20:08.707Z
    2065-10-21T21:47:03.467Z
    2099-11-26T17:25:25.408Z
    2050-02-16T20:25:03.195Z
    2008-04-15T05:07:21.615Z
    2006-02-01T18:09:34.103Z
    2046-10-01T02:55:13.628Z
    2048-03-21T08:22:38.372Z
    2060-02-04T15:29:30.495Z
    2039-02-05T03:47:21.758Z
    2033-08-27T22:10:33.023Z
    2026-09-12T04:44:34.936Z
    2003-09-10T20:55:05.712Z
    1.0.0
    2.14.3-beta.1
    1.2.3+20261121
    v18.2
    17.1.2 (21B101)
    6.3
    swift-6.3.1-RELEASE
    iOS 19.1
    Android 16
    10.0.26100.1
    Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36
    Understudy/1.0 (Linux; x86_64)
    curl/7.88.1
    okhttp/4.12.0
    CFNetwork/1494.0.7 Darwin/23.4.0
    ^4.17.21
    >=1.8.2 <2.0.0
    schema v3
    rev 1042
    HTTP/1.1
    application/json
    """#.split(separator: "\n").map(String.init)
}
