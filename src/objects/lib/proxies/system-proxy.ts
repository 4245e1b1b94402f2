import type { ForwardProxy, ProxyOptions } from '#contracts'
import type { Scope } from '#expression'
import { withoutBrackets } from '#http'
import type { Environment } from '#schema'
import { type Exempts, nonProxyHosts, noProxyList } from './exempt-hosts.ts'

/** Default of `http.nonProxyHosts` in a JVM. */
const DEFAULT_EXEMPTIONS = 'localhost|127.*|::1|0.0.0.0|::0'

interface Choice {
  readonly key: string
  readonly proxy: ForwardProxy
  readonly exempts: Exempts
}

/**
 * The proxy of the system (decisions, "systemProxy"): for each scheme by `http.proxyHost` and related settings in the properties or
 * the environment, else by HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
 */
export function systemProxy(env: Environment): ProxyOptions {
  const choices = new Map<string, Choice>()
  for (const scheme of ['http', 'https']) {
    const choice = byProperties(scheme, env) ?? byVariables(scheme, env)
    if (choice !== null) choices.set(scheme, choice)
  }
  if (choices.size === 0)
    env.warn('no system proxy is configured; set HTTP_PROXY or HTTPS_PROXY, or use NoProxyOptions')
  return {
    key: `system ${Array.from(choices, ([scheme, { key }]) => `${scheme} ${key}`).join(' ')}`,
    proxyFor: (scheme, hostname, port) => {
      const choice = choices.get(scheme)
      return choice === undefined || choice.exempts(hostname, port) ? null : choice.proxy
    },
  }
}

function byProperties(scheme: string, env: Environment): Choice | null {
  const host = property(env.scope, `${scheme}.proxyHost`)
  if (host === null) return null
  const text = property(env.scope, `${scheme}.proxyPort`)
  const port = text === null ? (scheme === 'http' ? 80 : 443) : portOf(text)
  if (port === null) {
    throw new TypeError(`${scheme}.proxyPort: expected a port, got ${JSON.stringify(text)}`)
  }
  const exempt =
    property(env.scope, `${scheme}.nonProxyHosts`) ?? property(env.scope, 'http.nonProxyHosts') ?? DEFAULT_EXEMPTIONS
  return choiceOf(host, port, exempt, nonProxyHosts(exempt))
}

function byVariables(scheme: string, env: Environment): Choice | null {
  const name = `${scheme.toUpperCase()}_PROXY`
  const text = variable(env.scope, name)
  if (text === null) return null
  const uri = URL.parse(text.includes('://') ? text : `http://${text}`)
  const isSecure = uri?.protocol === 'https:'
  if (uri === null || (uri.protocol !== 'http:' && !isSecure) || uri.hostname === '') {
    throw new TypeError(`${name}: expected a proxy such as http://proxy.example.com:3128, got something else`)
  }
  if (uri.username !== '' || uri.password !== '') {
    env.warn(`${name} has a user name and a password, which are ignored; use CustomProxyOptions for such a proxy`)
  }
  const exempt = variable(env.scope, 'NO_PROXY') ?? ''
  return choiceOf(
    withoutBrackets(uri.hostname),
    uri.port === '' ? (isSecure ? 443 : 80) : Number(uri.port),
    exempt,
    noProxyList(exempt),
    isSecure,
  )
}

function choiceOf(hostname: string, port: number, list: string, exempts: Exempts, isSecure = false): Choice {
  const secure = isSecure ? { secure: { tls: null } } : {}
  return {
    key: JSON.stringify([hostname, port, list, isSecure]),
    proxy: { hostname, port, ...secure, authorization: () => null },
    exempts,
  }
}

/** From the properties (dotted or nested), the system properties, or the environment. */
function property(scope: Scope, name: string): string | null {
  const [group, member] = name.split('.') as [string, string]
  const places = [
    scope.lookup(name),
    memberOf(scope.lookup(group), member),
    memberOf(scope.lookup('system'), name),
    memberOf(scope.lookup('env'), name),
    memberOf(scope.lookup('env'), `${group}_${member}`.toUpperCase()),
  ]
  const found = places.find((value) => typeof value === 'number' || (typeof value === 'string' && value !== ''))
  return found === undefined ? null : String(found)
}

function variable(scope: Scope, name: string): string | null {
  const environment = scope.lookup('env')
  const value = memberOf(environment, name) ?? memberOf(environment, name.toLowerCase())
  return typeof value === 'string' && value !== '' ? value : null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function portOf(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : null
}
