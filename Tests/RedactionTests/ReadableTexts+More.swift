/// The second half of the texts, in a file of its own to keep both short.
extension ReadableTexts {
  static let prose = #"""
    application/json; charset=utf-8
    text/html
    image/png
    multipart/form-data; boundary=b1
    application/problem+json
    gzip, deflate, br
    de-DE,de;q=0.9,en;q=0.8
    no-cache
    max-age=300
    private, no-cache
    bytes=0-1023
    bytes 0-1023/4096
    W/\"abc\"
    keep-alive
    utf-8
    attachment; filename=report.zip
    timeout=5, max=1000
    Accept-Encoding
    nosniff
    https://example.org/
    https://api.example.org/v1/cues?page=2&limit=100
    /rpc/get_cues
    /api/network/0dd4edb5-0deb-496f-9442-93ce594c433f
    http://localhost:8080/settings
    https://cdn.example.org/audio/1042/file.mp3
    /assets/js/elements/network-detail.js
    https://example.org/a/b/c/d/e/f?lang=de&sort=name#top
    file:///usr/share/doc
    C:\\Program Files\\App
    /var/lib/app/data.sqlite-wal
    urn:isbn:9783161484100
    example.org
    127.0.0.1:8080
    [::1]:8080
    10.0.0.1
    192.168.178.20
    2001:db8::1
    00:1b:44:11:3a:b7
    s3://bucket/folder/file.json
    ../styles/app.css
    /users/me/profile
    wss://example.org/socket
    https://example.org/privacy-policy-and-terms-of-service
    mailto:
    tel:
    #/components/schemas/NetworkRow
    $.cues[0].prompt
    /cues/0/prompt
    select * from cues where stage = 1
    How do you say the house number in the other language?
    The token is missing
    invalid token: no
    Your session has ended, please sign in again.
    We could not reach the server. Try again in 30 seconds.
    The code has expired
    Too many attempts: wait a minute, then try again.
    Password must have at least 12 characters
    The email could not be delivered
    Phone numbers begin with a plus sign.
    Das Haus mit der Nummer 12, wie man so schön sagt
    Les mots de passe ne correspondent pas
    El código no es válido
    Il codice è scaduto
    コードの有効期限が切れました
    رمز الدخول غير صالح
    Проверьте адрес и попробуйте ещё раз
    验证码已过期
    Bearer tokens are described in a standard.
    Basic knowledge of Swift is enough
    Add 2 + 2 and you get 4
    It costs 12.50 EUR, not 1,250.00
    Room 0815, floor 3
    Chapter 12: What happens next
    Note: this page is in English
    Rate: 4.5 of 5 (1,204 votes)
    Total: 1042 items
    a-long-name-in-words-that-is-nobodys-secret-at-all-here
    one_two_three_four_five_six_seven_eight_nine_ten
    The quick brown fox jumps over the lazy dog
    Lorem ipsum dolor sit amet, consectetur adipiscing elit.
    He said: “never again”.
    5 of 6 tests passed (83 %)
    100% of rows kept
    50% off & free delivery
    Tom & Jerry
    R&D department
    x < y && y > z
    C:\\temp is full
    line one\nline two
    tab\tseparated
    quote \"this\" please
    Line 42, column 7: unexpected end of input
    Cannot read properties of undefined (reading 'id')
    duplicate key value violates unique constraint \"users_pkey\"
    connect ECONNREFUSED 127.0.0.1:5432
    read timed out after 30000 ms
    Operation was cancelled by the user
    upstream connect error or disconnect/reset before headers
    certificate has expired
    self signed certificate in certificate chain
    HTTP/1.1 503 Service Unavailable
    Retry after 60 seconds
    Too Many Requests
    Value for field stage is not one of new, learning, review
    Expected 3 arguments but got 2
    index 7 is out of range 0..<5
    secretary of the board
    pinned to the top
    tokenization is a step of parsing
    coded in Swift
    emails are sent at night
    the mobile web
    stateless design
    passwordless sign-in
    cookies and milk
    phonetic spelling
    a bearer of good news
    design token: blue
    12.50
    1,250.00
    -0
    1.5e10
    0x1F
    0.7512
    1e-9
    NaN
    42
    0
    -273.15
    3.14159265358979
    1000000
    1/2
    12%
    #ff8800
    #FFF
    rgb(12, 34, 56)
    oklch(0.7 0.1 200)
    52.5200,13.4050
    52.5200° N, 13.4050° E
    4.7 MB
    1,024 KiB
    640x480
    1920 × 1080
    16:9
    120 km/h
    20 °C
    1-2-3
    978-3-16-148410-0
    4006381333931
    90210
    10115 Berlin
    SW1A 1AA
    DE123456789
    A4
    USB-C
    5G
    24/7
    007
    en
    de
    fr-CA
    pt-BR
    zh-Hans
    EUR
    USD
    JPY
    Europe/Berlin
    America/New_York
    UTC
    UTC+2
    GMT+01:00
    en_US.UTF-8
    Latn
    male
    blue
    monday
    Q3
    north
    true
    false
    null
    yes
    no
    on
    off
    -
    n/a
    …
    ✓
    🙂
    é
    ß
    ñandú
    Ærø
    東京
    مرحبا
    שלום
    x-small
    btn btn-primary btn-lg
    M0 0h24v24H0z
    flex: 1 1 auto
    grid-template-columns: 1fr 2fr
    font-family: system-ui
    key: value
    a: 1, b: 2
    name=value
    x=1;y=2
    state=closed
    type=error
    lang=de
    sort=-created_at
    page=2&limit=100
    filter[status]=open
    q=house+number
    id=42
    ok=true
    v=3
    """#.split(separator: "\n").map(String.init)
}
