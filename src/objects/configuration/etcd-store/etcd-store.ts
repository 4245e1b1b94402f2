import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientTlsKind, ConfigurationStoreKind } from '#contracts'
import { ConfigError, config, defineType, integer, list, needs, ref, secretId, string, url } from '#schema'

const MAX_ENDPOINTS = 32
const MIB = 1024 * 1024

/** A longer one is not a password. */
const MAX_PASSWORD = 4096

/** Segments without characters that shells and tools of etcd treat specially. */
const PREFIX = /^(?:\/[A-Za-z0-9._-]+)+$/

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/

/** Configuration in etcd, for many gateways. */
export const EtcdStore = defineType({
  name: 'EtcdStore',
  kind: ConfigurationStoreKind,
  summary: 'Stores the configuration of many gateways in etcd, as numbered releases.',
  config: {
    endpoints: list(config(url()), { nonEmpty: true }).meta({
      description:
        'URLs of the members of one etcd cluster (3.4 or newer), such as `https://etcd-1.example.com:2379`; the next one is used where one does not respond.',
    }),
    prefix: config(string({ nonEmpty: true }))
      .default('/identity-gateway')
      .meta({ description: 'Prefix of all keys. Gateways with the same prefix have the same configuration.' }),
    username: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'User name for etcd; without it no credentials are sent.' }),
    passwordSecretId: config(secretId({ isFile: true }))
      .optional()
      .meta({ description: 'Name of the file in `secrets/` of the instance with the password of the user.' }),
    tls: ref(ClientTlsKind).optional().meta({
      description:
        'TLS options for `https` endpoints: private trust, client certificate; by default the certificate must be issued by an authority that the platform trusts and name the host.',
    }),
    maxReleaseSize: config(integer({ min: 1, max: 1024 * MIB }))
      .default(64 * MIB)
      .meta({ description: 'Maximum bytes of all files of one release; a larger one is rejected with 413.' }),
    keepReleases: config(integer({ min: 1, max: 10_000 }))
      .default(100)
      .meta({
        description: 'Number of releases to keep; older ones are removed, and with them contents that no other has.',
      }),
  },
  rules: [needs('username', 'passwordSecretId'), needs('passwordSecretId', 'username')],
  check: ({ endpoints, prefix, tls, username }, report, warn) => {
    if (
      username !== undefined &&
      endpoints.some((endpoint) => endpoint.startsWith('http:') && !LOOPBACK.test(endpoint))
    )
      warn('the password for etcd is sent in clear text over http; use https for endpoints')
    if (endpoints.length > MAX_ENDPOINTS) report('/endpoints', `expected at most ${MAX_ENDPOINTS} URLs`)
    for (const [at, endpoint] of endpoints.entries()) {
      const problem = endpointProblem(endpoint)
      if (problem !== null) report(`/endpoints/${at}`, problem)
    }
    if (new Set(endpoints.map((endpoint) => URL.parse(endpoint)?.protocol)).size > 1)
      report('/endpoints', 'expected only http or only https URLs, got both')
    if (!PREFIX.test(prefix)) {
      const got = JSON.stringify(prefix.slice(0, 80))
      report(
        '/prefix',
        `expected a path such as /identity-gateway: a slash and letters, digits, ".", "_", "-"; got ${got}`,
      )
    }
    if (tls !== undefined && endpoints.every((endpoint) => endpoint.startsWith('http:')))
      report('/tls', 'expected none beside endpoints of http; use https')
  },
  create: ({ endpoints, passwordSecretId, username, tls, ...rest }, env) => {
    const password = (): string | null =>
      passwordSecretId === undefined ? null : passwordIn(join(env.directories.secrets, passwordSecretId))
    if (env.serving && passwordSecretId !== undefined && password() === null) {
      const file = join(env.directories.secrets, passwordSecretId)
      throw new ConfigError([
        { pointer: '/passwordSecretId', message: `there is no file ${file}; write the password to it` },
      ])
    }
    return { ...rest, endpoints, username: username ?? null, password, tls: tls ?? null }
  },
})

function endpointProblem(endpoint: string): string | null {
  const parsed = URL.parse(endpoint)
  if (parsed === null) return null
  if (parsed.username !== '' || parsed.password !== '')
    return 'expected no name and password in the URL; use username and passwordSecretId'
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '')
    return 'expected a scheme, a host and a port, without a path; the path of keys is prefix'
  return null
}

function passwordIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
      .slice(0, MAX_PASSWORD)
      .replace(/\r?\n$/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
