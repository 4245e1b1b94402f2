import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startGateway } from './gateway-server.ts'
import { handshakes } from './handshakes.ts'
import { benchIdentity, type Identity, identityFields } from './identity.ts'
import { installed, type Load, type LoadOptions } from './load.ts'
import { type Measured, measure, type Rounds, ratioTo, type Subject } from './measure.ts'
import { nginxConfig } from './peers/nginx.ts'
import { freePort, ServerProcess } from './server-process.ts'
import { Workspace } from './workspace.ts'

const body = 'the quick brown fox jumps over the lazy dog, and the lazy dog does not even open an eye'
/** Concurrent requests on one connection of HTTP/2. */
const streams = 4

/** One row of the result: a measurement and its ratio to nginx. */
export interface TlsRow extends Measured {
  readonly ratio: number
}

/** Measures the CPU time of one request with TLS towards the client or towards the upstream, beside nginx. */
export async function tlsBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<TlsRow[]> {
  const nginx = installed('nginx')
  if (nginx === undefined) {
    progress('NOTICE: without nginx there is nothing to compare with (apt-get install nginx)')
    return []
  }
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const identity = benchIdentity(workspace)
  const start = async (name: string, port: number, config: string, isUpstream = false) => {
    const command = [
      nginx,
      '-c',
      workspace.write(`${name}.conf`, config),
      '-p',
      workspace.path,
      '-e',
      'stderr',
    ] as const
    return servers.use(await ServerProcess.start({ name, command, readyUrl: `http://127.0.0.1:${port}/`, isUpstream }))
  }
  const [plain, secure] = [await freePort(), await freePort()]
  const answer = `${secureListen(secure, identity)} location / { default_type text/plain; return 200 "${body}"; }`
  await start('upstream', plain, nginxConfig(workspace.path, plain, { server: answer }), true)

  const [port, securePort] = [await freePort(), await freePort()]
  const proxy = proxyConfig(workspace.path, port, securePort, identity, { plain, secure })
  const peer = await start('nginx', port, proxy)
  const own = await startGateway(workspace, 'gateway', routes(plain, secure), { secure: identityFields(identity) })
  servers.use(own.server)
  const ownSecure = own.url.replace('http:', 'https:')
  const peerSecure = `https://127.0.0.1:${securePort}`

  const subjects: Subject[] = [
    ...pair('in, HTTP/1.1', own.server, ownSecure, peer, peerSecure, '/plain', undefined),
    ...pair('out, HTTP/1.1', own.server, own.plainUrl, peer, `http://127.0.0.1:${port}`, '/secure', undefined),
    // nginx has no HTTP/2 towards upstreams.
    { name: 'gateway out, HTTP/2', server: own.server, url: `${own.plainUrl}/secure-http2`, expect: { body } },
    ...pair('full handshake', own.server, ownSecure, peer, peerSecure, '/text', handshakes('full')),
    ...pair('resumed handshake', own.server, ownSecure, peer, peerSecure, '/text', handshakes('resumed')),
  ]
  const h2load = installed('h2load')
  if (h2load === undefined) progress('NOTICE: without HTTP/2: h2load is not installed (apt-get install nghttp2-client)')
  else subjects.push(...pair('in, HTTP/2', own.server, ownSecure, peer, peerSecure, '/plain', withH2load(h2load)))
  const measured = await measure(subjects, rounds, progress)
  return measured.map((row) => {
    const base = measured.find(({ name }) => name === row.name.replace('gateway', 'nginx'))
    return { ...row, ratio: ratioTo(base, row) }
  })
}

function pair(
  what: string,
  own: ServerProcess,
  ownUrl: string,
  peer: ServerProcess,
  peerUrl: string,
  path: string,
  load: Subject['load'],
): Subject[] {
  const expect = { body, anyCertificate: true }
  const how = load === undefined ? {} : { load }
  return [
    { name: `gateway ${what}`, server: own, url: ownUrl + path, expect, ...how },
    { name: `nginx ${what}`, server: peer, url: peerUrl + path, expect, ...how },
  ]
}

function secureListen(port: number, { certificate, key }: Identity): string {
  return `listen 127.0.0.1:${port} ssl http2; ssl_certificate ${certificate}; ssl_certificate_key ${key};
    ssl_protocols TLSv1.2 TLSv1.3;`
}

function proxyConfig(
  folder: string,
  port: number,
  securePort: number,
  identity: Identity,
  upstream: { plain: number; secure: number },
): string {
  const keep = 'keepalive 64; keepalive_requests 1000000000;'
  const location = (path: string, scheme: string, name: string) => `location ${path} {
      proxy_pass ${scheme}://${name}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
    }`
  return nginxConfig(folder, port, {
    http: `upstream plain { server 127.0.0.1:${upstream.plain}; ${keep} }
  upstream secure { server 127.0.0.1:${upstream.secure}; ${keep} }`,
    server: `${secureListen(securePort, identity)}
    ${location('/plain', 'http', 'plain')} ${location('/secure', 'https', 'secure')} location = / { return 200 "ready"; }
    location = /text { default_type text/plain; return 200 "${body}"; }`,
  })
}

function routes(plain: number, secure: number): Map<string, unknown> {
  const route = (path: string, baseURI: string, config: object) => ({
    condition: `\${find(request.uri.path, '^/${path}$')}`,
    baseURI,
    handler: { type: 'ReverseProxyHandler', config },
  })
  // As nginx by default: the certificate of the upstream is not verified.
  const anyone = { trustManager: { type: 'TrustAllManager' }, hostnameVerifier: 'ALLOW_ALL' }
  const tls = { type: 'ClientTlsOptions', config: anyone }
  const text = { type: 'StaticResponseHandler', config: { status: 200, entity: body } }
  return new Map<string, unknown>([
    ['text', { condition: "${request.uri.path == '/text'}", handler: text }],
    ['plain', route('plain', `http://127.0.0.1:${plain}`, {})],
    ['secure', route('secure', `https://127.0.0.1:${secure}`, { tls, protocolVersion: 'HTTP/1.1' })],
    ['secure-http2', route('secure-http2', `https://127.0.0.1:${secure}`, { tls, protocolVersion: 'HTTP/2' })],
  ])
}

/** The same load over HTTP/2, for a fixed time. */
function withH2load(program: string): NonNullable<Subject['load']> {
  return async (url: string, { connections, seconds }: LoadOptions): Promise<Load> => {
    const args = [`-c${Math.max(1, Math.floor(connections / streams))}`, `-m${streams}`, `-D${seconds}`, url]
    const { stdout } = await promisify(execFile)(program, args, { timeout: seconds * 1000 + 15_000 })
    const [, done, succeeded, failed, errored] =
      /requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored/.exec(stdout) ?? []
    if (done === undefined) throw new Error(`expected a count of requests from h2load, got: ${stdout}`)
    return { requests: Number(succeeded), errors: Number(failed) + Number(errored), seconds }
  }
}
