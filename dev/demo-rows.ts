/** One example of the demo, and its effect. */
interface DemoRow {
  /** A short title, for the first column of a table. */
  readonly title: string
  /**
   * A shell line; what one sets, those after it may use. `{traffic}`, `{secure}`, `{admin}`, `{am}`, `{instance}` and `{gateway}` stand
   * for what the demo runs with.
   */
  readonly line: string
  /** Expected text of the output; checked by the tests of the demo. */
  readonly shows: RegExp
  /** Set where the expected text is in the log. */
  readonly logs?: RegExp
}

/** The examples of the demo, in order. A new feature is a route in the sample instance and a row here. */
export const DEMO_ROWS: readonly DemoRow[] = [
  {
    title: 'proxy, header added',
    line: 'curl {traffic}/echo',
    shows: /"x-client-address": "127\.0\.0\.1"/,
  },
  {
    title: 'static answer',
    line: 'curl "{traffic}/hello?name=you"',
    shows: /^Hello, you!/,
  },
  {
    title: 'choice by header',
    line: "curl {traffic}/choose -H 'X-Version: 2'",
    shows: /^version 2$/m,
  },
  {
    title: 'choice by method',
    line: 'curl -i -X DELETE {traffic}/choose',
    shows: /^HTTP\/1\.1 405 /,
  },
  {
    title: 'choice by body',
    line: `curl {traffic}/orders -d '{"id":7,"express":true}' -H 'Content-Type: application/json'`,
    shows: /^express: order 7 goes first$/m,
  },
  {
    title: 'path rewritten',
    line: 'curl {traffic}/shop/echo',
    shows: /"path": "\/echo"/,
  },
  {
    title: 'streaming',
    line: 'curl -N {traffic}/stream',
    shows: /event 5 of 5/,
  },
  {
    title: 'CORS preflight',
    line: "curl -i -X OPTIONS {traffic}/api/echo -H 'Origin: https://app.example.com' -H 'Access-Control-Request-Method: PUT'",
    shows: /^access-control-allow-origin: https:\/\/app\.example\.com/im,
  },
  {
    title: 'not allowed',
    line: 'curl -i -d x {traffic}/office/echo',
    shows: /^HTTP\/1\.1 401 /,
  },
  {
    title: 'get a token',
    line: `TOKEN=$(curl -s -u app:demo {am}/oauth2/access_token -d grant_type=client_credentials -d scope=read | sed 's/.*"access_token":"//; s/".*//'); echo $TOKEN`,
    shows: /^[\w-]{20,}$/m,
  },
  {
    title: 'call with the token',
    line: 'curl {traffic}/protected/echo -H "Authorization: Bearer $TOKEN"',
    shows: /"x-client": "app"/,
  },
  {
    title: 'no token',
    line: 'curl -i {traffic}/protected/echo',
    shows: /^HTTP\/1\.1 401 [\s\S]*^www-authenticate: Bearer realm="demo"/im,
  },
  {
    title: 'scope missing',
    line: 'curl -i -X DELETE {traffic}/protected/echo -H "Authorization: Bearer $TOKEN"',
    shows: /^HTTP\/1\.1 403 [\s\S]*error="insufficient_scope"[^\n]*scope="write"/im,
  },
  {
    title: 'revoke the token',
    line: 'curl -u app:demo {am}/oauth2/token/revoke -d token=$TOKEN; echo; curl -i {traffic}/protected/echo -H "Authorization: Bearer $TOKEN"',
    shows: /^HTTP\/1\.1 401 [\s\S]*error="invalid_token"/im,
  },
  {
    title: 'without a session',
    line: 'curl -i {traffic}/home/echo',
    shows: /^HTTP\/1\.1 302 [\s\S]*^location: http:\/\/[^\n]*\/am\/\?goto=/im,
  },
  {
    title: 'log in',
    line: `SESSION=$(curl -s -X POST {am}/json/authenticate -H 'X-OpenAM-Username: demo' -H 'X-OpenAM-Password: changeit' | sed 's/.*"tokenId":"//; s/".*//'); echo $SESSION`,
    shows: /^[\w.*-]{20,}$/m,
  },
  {
    title: 'page of a user',
    line: 'curl {traffic}/home/echo -b iPlanetDirectoryPro=$SESSION',
    shows: /"x-user": "demo"/,
  },
  {
    title: 'policy denies',
    line: 'curl -i -d x {traffic}/home/echo -b iPlanetDirectoryPro=$SESSION',
    shows: /^HTTP\/1\.1 403 /,
    logs: /^\{"_id":[^\n]*"statusCode":"403"[^\n]*"source":"audit","topic":"access","level":"INFO"\}$/m,
  },
  {
    title: 'its audit event',
    line: 'tail -n 1 {instance}/logs/audit-access/access.audit.json',
    shows: /"userId":"[^"]*demo[^"]*"[\s\S]*"statusCode":"403"[\s\S]*"decision":\{"result":"DENIED","by":"[^"]+"/,
  },
  {
    title: 'policy wants more',
    line: 'curl -i {traffic}/home/download -b iPlanetDirectoryPro=$SESSION',
    shows: /^HTTP\/1\.1 307 [\s\S]*^location: [^\n]*authIndexType=composite_advice/im,
  },
  {
    title: 'log in as admin',
    line: `ADMIN=$(curl -s -X POST {am}/json/authenticate -H 'X-OpenAM-Username: admin' -H 'X-OpenAM-Password: changeit' | sed 's/.*"tokenId":"//; s/".*//'); echo $ADMIN`,
    shows: /^[\w.*-]{20,}$/m,
  },
  {
    title: 'policy changes',
    line: `curl -X PUT {am}/json/policies/pages -H "iPlanetDirectoryPro: $ADMIN" -H "Content-Type: application/json" -d @{instance}/changed-policy.json; echo; curl -d x {traffic}/home/echo -b iPlanetDirectoryPro=$SESSION`,
    shows: /"method": "POST"[\s\S]*"x-user": "demo"/,
  },
  {
    title: 'OpenID Connect',
    line: 'curl -i {traffic}/oidc/echo',
    shows: /^HTTP\/1\.1 302 [\s\S]*^location: http:\/\/[^\n]*\/authorize\?client_id=gateway-login/im,
  },
  {
    title: 'script',
    line: 'curl "{traffic}/script/echo?name=you"',
    shows: /"x-greeting": "Good (?:morning|afternoon|evening), you"/,
  },
  {
    title: 'throttling',
    line: `for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code} ' {traffic}/limited/echo; done; echo`,
    shows: /^200 (?:200 )*429 $/m,
  },
  {
    title: 'WebSocket',
    line: `curl -sN --max-time 1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' {traffic}/websocket/socket; echo`,
    shows: /hello over WebSocket/,
  },
  {
    title: 'TLS and HTTP/2',
    line: 'curl -i --cacert {instance}/secrets/tls.crt {secure}/hello',
    shows: /^HTTP\/2 200[\s\S]*Hello, world!/,
  },
  {
    title: 'capture and timer',
    line: 'curl {traffic}/watched/echo',
    shows: /"path": "\/echo"/,
    logs: /gateway\+_router\+watched/,
  },
  {
    title: 'who answers, and why',
    line: `{gateway} explain --instance {instance} 'POST {traffic}/orders' -d '{"express":true}'`,
    shows: /Route: orders-1-express/,
  },
  {
    title: 'metrics',
    line: `curl -s {admin}/metrics/prometheus/0.0.4 | grep '^gw_route_request_total{name="hello"'`,
    shows: /^gw_route_request_total\{name="hello"[^}]*\} [1-9]/m,
  },
  {
    title: 'live table',
    line: '{gateway} top --once --gateway {admin}',
    shows: /^ROUTE +REQ\/S/m,
  },
  {
    title: 'routes',
    line: '{gateway} routes --gateway {admin}',
    shows: /^\d+ +hello +hello +loaded/m,
  },
  {
    title: 'health',
    line: 'curl "{admin}/health/ready?verbose"',
    shows: /"status": ?"UP"/,
  },
  {
    title: 'information',
    line: 'curl "{admin}/api/info?_prettyPrint=true"',
    shows: /"mode": "DEVELOPMENT"/,
  },
  {
    title: 'change while it runs',
    line: "sed -i.bak 's/Hello/Howdy/' {instance}/config/routes/hello.json && sleep 1 && curl {traffic}/hello",
    shows: /^Howdy, world!/,
  },
]
