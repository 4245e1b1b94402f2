/** Addresses outside of the traffic connector that the page was requested from; null until the gateway runs. */
export interface TourLinks {
  readonly traffic: string
  readonly secure: string
  readonly admin: string
}

/** A page of the demo: one feature of the gateway, and things to try. HTML, with relative links into the application. */
interface TourStep {
  readonly path: string
  readonly title: string
  readonly content: (links: TourLinks, request: TourRequest) => string
}

/** What the gateway reports of a request, in headers. */
export interface TourRequest {
  readonly user: string | null
  readonly login: string | null
  /** Header of the script. */
  readonly greeting: string | null
  readonly isSecure: boolean
}

const link = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${text}</a>`

/** Steps of the demo in their order, by the value of the header X-Demo-Step. */
export const TOUR: Readonly<Record<string, TourStep>> = {
  proxy: {
    path: '/app/',
    title: 'Proxy',
    content:
      () => `<p>You see this through the gateway. The application itself listens on a port that only the gateway knows.</p>
<ul>
  <li>${link('echo', 'echo')}: the request as it arrived here, with a header that the gateway has added</li>
  <li>${link('stream', 'stream')}: events, one after the other</li>
  <li>${link('slow?ms=2000', 'slow')}: a response after two seconds</li>
  <li>${link('status/418', 'status')}: any status</li>
</ul>
<p>The next page needs a login: user <code>demo</code>, password <code>changeit</code>.</p>`,
  },
  login: {
    path: '/home/',
    title: 'Single sign-on and policies',
    content: () => `<p>This page needs a session of the access manager, and its policies decide about each request.</p>
<ul>
  <li>${link('echo', 'echo')}: the user is in the header X-User, and the cookie of the session is removed</li>
  <li>${link('slow?ms=2000', 'slow')}: denied, since no policy allows it</li>
  <li>${link('download?bytes=1000000', 'download')}: allowed after a stronger login</li>
  <li>${link('logout', 'log out')}</li>
</ul>`,
  },
  openid: {
    path: '/oidc/',
    title: 'OpenID Connect',
    content:
      () => `<p>Here the gateway is a client of an OpenID Connect provider, which is the access manager again: any other provider works the same.</p>
<ul>
  <li>${link('echo', 'echo')}: the user of the ID token is in the header X-User</li>
  <li>${link('login/logout', 'log out')}: ends the session of the gateway</li>
</ul>`,
  },
  script: {
    path: '/script/',
    title: 'Scripts',
    content: (
      _links,
      { greeting },
    ) => `<p>A script in JavaScript ran for this request and added a header: <strong>${escapeHtml(greeting ?? 'none')}</strong>.</p>
<p>It is scripts/greet.js in the instance of the demo. Change it while the gateway runs, and reload this page.</p>`,
  },
  throttling: {
    path: '/limited/',
    title: 'Throttling',
    content:
      () => `<p>This page accepts five requests each ten seconds from an address. Reload it quickly: further requests get
<code>429 Too Many Requests</code>, with the time to wait in <code>Retry-After</code>.</p>`,
  },
  websocket: {
    path: '/websocket/',
    title: 'WebSocket',
    content:
      () => `<p>Connections are relayed in both directions. The application returns each message in upper case.</p>
<form id="chat"><label>Message <input name="message" value="hello" autocomplete="off"></label> <button>Send</button></form>
<p>Received: <output id="received" role="status">nothing yet</output></p>
<script>
  const socket = new WebSocket(location.href.replace(/^http/, 'ws') + 'socket')
  const received = document.getElementById('received')
  socket.onmessage = ({ data }) => { received.textContent = data }
  socket.onclose = () => { received.textContent = 'the connection is closed' }
  document.getElementById('chat').onsubmit = (event) => {
    event.preventDefault()
    socket.send(event.target.message.value)
  }
</script>`,
  },
  tls: {
    path: '/secure/',
    title: 'TLS',
    content: ({ secure }, { isSecure }) =>
      isSecure
        ? '<p>This connection is encrypted. Its certificate was made for this demo, so that browsers do not trust it.</p>'
        : `<p>This connection is not encrypted. ${link(`${secure}/secure/`, 'Open this page with TLS')}: the certificate was made
for this demo, so that the browser asks whether to trust it.</p>`,
  },
  operation: {
    path: '/operate/',
    title: 'Metrics and Studio',
    content: ({
      admin,
    }) => `<p>The management connector is on a separate port. All of your requests are counted there:</p>
<ul>
  <li>${link(`${admin}/metrics/prometheus/0.0.4`, 'metrics')} for Prometheus</li>
  <li>${link(`${admin}/health/ready?verbose`, 'health')}</li>
  <li>${link(`${admin}/studio/`, 'Studio')}: routes, live requests and latencies in pages</li>
</ul>`,
  },
}

/** Text in HTML, also in attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
