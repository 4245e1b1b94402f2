import {
  type KeyManager,
  KeyManagerKind,
  type SecretsProvider,
  SecretsProviderKind,
  type ServerTls,
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
import { Changes } from '#secrets'
import { joinKeys, joinTrust } from './joined-managers.ts'
import { LIMIT_FIELDS, limitsOf } from './limit-fields.ts'
import { providerFor } from './provider.ts'
import { identityOfSecret } from './secret-identity.ts'
import { chooseByName, plainServerName } from './server-names.ts'

/** The fields of TLS on connectors. */
export const SERVER_FIELDS = {
  keyManager: listOrOne(ref(KeyManagerKind)).optional().meta({
    description:
      'Keys and certificates of the connector. Of several, the one that names the server the client asks for.',
  }),
  sni: object({
    serverNames: map(config(secretId())).prefault({}).meta({
      description: 'Secret ids of key and certificate by server name; `*.example.com` stands for one level.',
    }),
    defaultSecretId: config(secretId()).meta({
      description: 'Secret id of key and certificate for clients that ask for another name or for none.',
    }),
    secretsProvider: ref(SecretsProviderKind).optional().meta({
      description: 'Where the secrets are looked up; in the secrets of the file and its parents by default.',
    }),
  })
    .optional()
    .meta({ description: 'Keys and certificates by the server name the client asks for. Goes before keyManager.' }),
  trustManager: listOrOne(ref(TrustManagerKind)).optional().meta({
    description:
      'Whose client certificates are accepted; those of the authorities that the platform trusts by default.',
  }),
  clientAuth: config(oneOf(['NONE', 'REQUEST', 'REQUIRED']))
    .prefault('NONE')
    .meta({
      description:
        'REQUIRED: no connection without a trusted client certificate. REQUEST: one is asked for, and must be trusted if it is shown.',
    }),
  ...LIMIT_FIELDS,
}

type ServerValues = Settled<DecodedMembers<typeof SERVER_FIELDS>>

/** Gives identities for server names, and forgets what it knows when told to. */
interface Chooser {
  identitiesFor(serverName: string | null): Promise<readonly TlsIdentity[]>
  forget(): void
}

/** What should be known of these options, beyond what makes them unusable. */
export function serverWarnings({ keyManager, sni, clientAuth, trustManager }: ServerValues): string[] {
  const warnings: string[] = []
  if (keyManager !== undefined && sni !== undefined) warnings.push('keyManager has no effect: sni is given, and wins')
  if (clientAuth !== 'NONE' && trustManager === undefined) {
    warnings.push('clientAuth without trustManager accepts the clients of every public authority; set trustManager')
  }
  if (clientAuth === 'NONE' && trustManager !== undefined) {
    warnings.push('trustManager has no effect: clientAuth is NONE, so that no client certificate is asked for')
  }
  return warnings
}

/** Why a server name of `sni.serverNames` is none; null for one that is. */
export function serverNameProblem(name: string): string | null {
  const plain = plainServerName(name.startsWith('*.') ? name.slice(2) : name)
  if (plain !== null) return null
  return `expected a host name such as "www.example.com" or "*.example.com", got ${JSON.stringify(name)}`
}

/** TLS on a connector, from its settled fields; null where they name no identity to show. */
export async function serverTls(
  values: ServerValues,
  alpn: boolean,
  env: Pick<Environment, 'onDispose' | 'secrets'>,
): Promise<ServerTls | null> {
  const { sni, clientAuth } = values
  const provider = providerFor(sni?.secretsProvider, env)
  const keys = sni === undefined ? joinKeys(values.keyManager) : null
  if (sni === undefined && keys === null) return null
  const chooser = sni === undefined ? byCertificate(keys as KeyManager) : bySecretId(sni, provider)
  const trust = clientAuth === 'NONE' ? null : joinTrust(values.trustManager)
  // What can not be used is found while the configuration is loaded, not by the first client.
  await chooser.identitiesFor(null)
  for (const name of Object.keys(sni?.serverNames ?? {})) await chooser.identitiesFor(name.replace('*', 'any'))
  await trust?.authorities()
  const changes = new Changes()
  const changed = () => {
    chooser.forget()
    changes.tell()
  }
  for (const source of [keys, trust, sni && provider]) if (source) env.onDispose(source.onChange(changed))
  return {
    ...limitsOf(values, alpn),
    identitiesFor: (serverName) => chooser.identitiesFor(serverName),
    clientAuth,
    trust,
    onChange: changes.onChange,
  }
}

function bySecretId(sni: NonNullable<ServerValues['sni']>, provider: SecretsProvider): Chooser {
  const { serverNames, defaultSecretId } = sni
  const names = new Map(Object.entries(serverNames).map(([name, id]) => [name.toLowerCase().replace(/\.$/, ''), id]))
  const known = new Map<string, Promise<readonly TlsIdentity[]>>()
  const load = (id: string) => {
    const loading = identityOfSecret(provider, id).then((identity) => [identity])
    known.set(id, loading)
    // A failure is not kept: the next client asks again.
    loading.catch(() => known.delete(id))
    return loading
  }
  return {
    identitiesFor: (serverName) => {
      const id = chooseByName(names, serverName) ?? defaultSecretId
      return known.get(id) ?? load(id)
    },
    forget: () => known.clear(),
  }
}

function byCertificate(keys: KeyManager): Chooser {
  let all: Promise<readonly TlsIdentity[]> | null = null
  /** One list for each choice, by the positions of its members. */
  let choices = new Map<string, readonly TlsIdentity[]>()
  const load = (): Promise<readonly TlsIdentity[]> => {
    all ??= keys.identities().catch((error: unknown) => {
      all = null
      throw error
    })
    return all
  }
  return {
    identitiesFor: async (serverName) => {
      const identities = await load()
      if (identities.length === 0) throw new TypeError('keyManager: expected a key with its certificate, found none')
      const plain = serverName === null ? null : plainServerName(serverName)
      if (plain === null || identities.length === 1) return identities
      const fitting = identities.filter(({ chain }) => chain[0]?.checkHost(plain) !== undefined)
      if (fitting.length === 0) return identities
      const key = fitting.map((each) => identities.indexOf(each)).join()
      const choice = choices.get(key) ?? fitting
      choices.set(key, choice)
      return choice
    },
    forget: () => {
      all = null
      choices = new Map()
    },
  }
}
