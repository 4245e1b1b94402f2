import { releaseProxy } from '#client'
import { ClientTlsKind, type ForwardProxy, type ProxyOptions, secretsProvider } from '#contracts'
import { withoutBrackets } from '#http'
import { config, type DecodedMembers, type Environment, ref, type Settled, secretId, string, url } from '#schema'
import { passwordSource } from '../tls/password.ts'
import { EVENTS } from './log-events.ts'

/** The fields of a proxy server. */
export const PROXY_SERVER_FIELDS = {
  uri: config(url(['http', 'https'])).meta({
    description:
      'URL of the proxy, such as `http://proxy.example.com:3128`; the default port is 80, or 443 with https. With https, TLS is used to the proxy itself.',
  }),
  tls: ref(ClientTlsKind).optional().meta({
    description:
      'TLS options for a proxy with an https URI; by default its certificate must be issued by an authority that the platform trusts and match its host name.',
  }),
  username: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'User name for Basic authentication at the proxy.' }),
  passwordSecretId: config(secretId()).optional().meta({ description: 'Secret id of the password for the proxy.' }),
  secretsProvider: secretsProvider('the password'),
}

type ProxyServerValues = Settled<DecodedMembers<typeof PROXY_SERVER_FIELDS>> & {
  readonly password?: string | undefined
}

let objects = 0

/** Sends every request through one proxy. The password is read at load, and again when secrets have changed. */
export async function customProxy(values: ProxyServerValues, env: Environment): Promise<ProxyOptions> {
  const { uri, username } = values
  const { hostname, port, protocol } = new URL(uri)
  const isSecure = protocol === 'https:'
  const server = {
    hostname: withoutBrackets(hostname),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    ...(isSecure ? { secure: { tls: values.tls ?? null } } : {}),
  }
  const name = `${protocol} ${server.hostname} ${server.port}${values.tls === undefined ? '' : ` ${++objects}`}`
  const through = (key: string, authorization: ForwardProxy['authorization']): ProxyOptions => {
    const proxy = { ...server, authorization }
    env.onDispose(() => releaseProxy(proxy))
    return { key, proxyFor: () => proxy }
  }
  if (username === undefined) return through(`custom ${name}`, () => null)
  const password = passwordSource(values)
  const credentials = async () => basic(username, (await password()) ?? Buffer.alloc(0))
  let current = await credentials()
  const refresh = async () => {
    try {
      current = await credentials()
    } catch (error) {
      env.logger.warn({ error }, EVENTS.PROXY_PASSWORD_UNREADABLE)
    }
  }
  // Sequential: an older password that is read late must not replace a newer one.
  let refreshed = Promise.resolve()
  const onChange = (): void => {
    refreshed = refreshed.then(refresh)
  }
  env.onDispose(values.secretsProvider.onChange(onChange))
  return through(`custom ${name} ${++objects}`, () => current)
}

/** RFC 7617 section 2. */
function basic(username: string, password: Buffer): string {
  return `Basic ${Buffer.concat([Buffer.from(`${username}:`, 'utf8'), password]).toString('base64')}`
}

/** Reports invalid values of a proxy server. */
export function checkProxyServer(
  { uri, username, tls }: Pick<ProxyServerValues, 'uri' | 'username' | 'tls'>,
  report: (path: string, message: string) => void,
): void {
  const { protocol, pathname, search, hash, username: inUri, password } = new URL(uri)
  if (inUri !== '' || password !== '') {
    report('/uri', 'expected no name and password in the URI; use username and passwordSecretId')
  } else if (pathname !== '/' || search !== '' || hash !== '') {
    report('/uri', 'expected scheme, host and port only, got more')
  }
  if (tls !== undefined && protocol !== 'https:') report('/tls', 'expected none beside a uri of http; use https')
  if (username?.includes(':')) report('/username', 'expected no colon: it ends the name (RFC 7617 section 2)')
}
