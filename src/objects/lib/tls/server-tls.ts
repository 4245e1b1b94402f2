import {
  type KeyManager,
  KeyManagerKind,
  type Secret,
  type SecretsProvider,
  type ServerTls,
  secretsProvider,
  type TlsIdentity,
  TrustManagerKind,
} from '#contracts'
import {
  config,
  type DecodedMembers,
  type Environment,
  listOrOne,
  map,
  object,
  oneOf,
  ref,
  type Settled,
  secretId,
} from '#schema'
import { ChangeListeners } from '#secrets'
import { CachedIdentities, IdentityReports, type IdentitySource } from './cached-identities.ts'
import { checkHourly, ExpiryWarnings } from './certificate-expiry.ts'
import { joinKeys, joinTrust } from './joined-managers.ts'
import { LIMIT_FIELDS, limitsOf } from './limit-fields.ts'
import { identityOfSecret } from './secret-identity.ts'
import { chooseByName, plainServerName } from './server-names.ts'

/** The fields of TLS on connectors. */
export const SERVER_FIELDS = {
  keyManager: listOrOne(ref(KeyManagerKind)).optional().meta({
    description:
      'Keys and certificates of the connector. Of several, the one for the server name of the client is used.',
  }),
  sni: object({
    serverNames: map(config(secretId())).default({}).meta({
      description: 'Secret ids of key and certificate by server name; `*.example.com` matches one level.',
    }),
    defaultSecretId: config(secretId()).meta({
      description: 'Secret id of key and certificate for clients that send another server name or none.',
    }),
    secretsProvider: secretsProvider('the secrets'),
  })
    .optional()
    .meta({
      description: 'Keys and certificates by the server name that the client sends. Takes precedence over keyManager.',
    }),
  trustManager: listOrOne(ref(TrustManagerKind)).optional().meta({
    description: 'Trusted authorities of client certificates; those of the platform by default.',
  }),
  clientAuth: config(oneOf(['NONE', 'REQUEST', 'REQUIRED']))
    .default('NONE')
    .meta({
      description:
        'REQUIRED: no connection without a trusted client certificate. REQUEST: one is requested, and must be trusted if it is sent.',
    }),
  ...LIMIT_FIELDS,
}

type ServerValues = Settled<DecodedMembers<typeof SERVER_FIELDS>>

/** Selects identities by server name. */
interface Chooser {
  readonly sources: readonly CachedIdentities[]
  /** Whether a periodic read of the sources is cheap. */
  readonly isChecked: boolean
  identitiesFor(serverName: string | null): Promise<readonly TlsIdentity[]>
}

const CHECK_INTERVAL = 5_000

/** Checks until a source that fails is read again, where that is not cheap. */
const CHECKS_UNTIL_RETRY = 2

/** Warnings about options without effect or with an unexpected one. */
export function serverWarnings({ keyManager, sni, clientAuth, trustManager }: ServerValues): string[] {
  const warnings: string[] = []
  if (keyManager !== undefined && sni !== undefined) warnings.push('keyManager has no effect: sni is given, and wins')
  if (clientAuth !== 'NONE' && trustManager === undefined) {
    warnings.push('clientAuth without trustManager accepts the clients of every public authority; set trustManager')
  }
  if (clientAuth === 'NONE' && trustManager !== undefined) {
    warnings.push('trustManager has no effect with clientAuth NONE: no client certificate is requested')
  }
  return warnings
}

/** Why a name of `sni.serverNames` is invalid; null for a valid one. */
export function serverNameProblem(name: string): string | null {
  const plain = plainServerName(name.startsWith('*.') ? name.slice(2) : name)
  if (plain !== null) return null
  return `expected a host name such as "www.example.com" or "*.example.com", got ${JSON.stringify(name)}`
}

/** TLS on a connector, from its settled fields; null where they configure no identity. */
export async function serverTls(values: ServerValues, alpn: boolean, env: Environment): Promise<ServerTls | null> {
  const { sni, clientAuth } = values
  const keys = sni === undefined ? joinKeys(values.keyManager) : null
  if (sni === undefined && keys === null) return null
  const reports = new IdentityReports(env)
  const chooser = sni === undefined ? byCertificate(keys as KeyManager, reports) : bySecretId(sni, reports)
  const trust = clientAuth === 'NONE' ? null : joinTrust(values.trustManager)
  // Unusable keys and trust are reported at load, not by the first client.
  for (const source of chooser.sources) await source.get()
  await trust?.authorities()
  const expiry = new ExpiryWarnings(chooser.sources, env)
  expiry.warnAtLoad()
  const changes = new ChangeListeners()
  const changed = () => {
    for (const source of chooser.sources) source.invalidate()
    changes.tell()
    void readAgain(chooser.sources).then(() => expiry.check())
  }
  for (const source of [keys, trust, sni?.secretsProvider]) if (source) env.onDispose(source.onChange(changed))
  if (env.serving) {
    for (const source of chooser.sources) reports.measure(source)
    let checks = 0
    const check = async () => {
      // A store may look at its files only when they are read, so that nothing else shows that they are as they should be again.
      const isRetry = ++checks % CHECKS_UNTIL_RETRY === 0
      await readAgain(chooser.sources.filter(({ problem }) => chooser.isChecked || (isRetry && problem !== null)))
      for (const source of chooser.sources) source.report()
    }
    const checking = setInterval(() => void check(), CHECK_INTERVAL).unref()
    env.onDispose(() => clearInterval(checking))
    checkHourly(env, () => expiry.check())
  }
  return {
    ...limitsOf(values, alpn),
    identitiesFor: (serverName) => chooser.identitiesFor(serverName),
    clientAuth,
    trust,
    onChange: changes.onChange,
  }
}

/** Reads the sources, so that a failure is reported before a client needs them. */
async function readAgain(sources: readonly CachedIdentities[]): Promise<void> {
  await Promise.allSettled(sources.map((source) => source.refresh()))
}

function bySecretId(sni: NonNullable<ServerValues['sni']>, reports: IdentityReports): Chooser {
  const { serverNames, defaultSecretId, secretsProvider } = sni
  const names = new Map(Object.entries(serverNames).map(([name, id]) => [name.toLowerCase().replace(/\.$/, ''), id]))
  const ids = new Set([defaultSecretId, ...names.values()])
  const byId = new Map([...ids].map((id) => [id, new CachedIdentities(id, sourceOf(secretsProvider, id), reports)]))
  return {
    sources: [...byId.values()],
    isChecked: true,
    identitiesFor: (serverName) => byId.get(chooseByName(names, serverName) ?? defaultSecretId)!.get(),
  }
}

/** The identity of a secret; the last one is reused while the secret is the same. */
function sourceOf(provider: SecretsProvider, secretId: string): IdentitySource {
  let last: { readonly secret: Secret; readonly identities: readonly TlsIdentity[] } | null = null
  return {
    read: async () => {
      const secret = await provider.active({ secretId, purpose: 'SIGN' })
      if (secret !== last?.secret) last = { secret, identities: [identityOfSecret(secret)] }
      return last.identities
    },
    problem: () => provider.problemOf?.(secretId) ?? null,
  }
}

function byCertificate(keys: KeyManager, reports: IdentityReports): Chooser {
  const read = async () => {
    const identities = await keys.identities()
    if (identities.length === 0) throw new TypeError('keyManager: expected a key with its certificate, found none')
    return identities
  }
  const source = new CachedIdentities('keyManager', { read, problem: () => keys.problem?.() ?? null }, reports)
  /** One list for each choice among the identities that it was made of. */
  let choices = { of: [] as readonly TlsIdentity[], byKey: new Map<string, readonly TlsIdentity[]>() }
  return {
    sources: [source],
    // A keystore would be decrypted each time; it looks at its file by itself, and keeps its last good content.
    isChecked: false,
    identitiesFor: async (serverName) => {
      const identities = await source.get()
      const plain = serverName === null ? null : plainServerName(serverName)
      if (plain === null || identities.length === 1) return identities
      const fitting = identities.filter(({ chain }) => chain[0]?.checkHost(plain) !== undefined)
      if (fitting.length === 0) return identities
      if (choices.of !== identities) choices = { of: identities, byKey: new Map() }
      const key = fitting.map((each) => identities.indexOf(each)).join()
      const choice = choices.byKey.get(key) ?? fitting
      choices.byKey.set(key, choice)
      return choice
    },
  }
}
