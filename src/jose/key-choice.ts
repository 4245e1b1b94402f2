import { type Secret, SecretError, type SecretsProvider } from '#contracts'

/** Source of the keys of a purpose. */
export interface KeySource {
  readonly provider: SecretsProvider
  readonly secretId: string
}

/** No keys are available, so that a token can not be validated; the reason is for logs. */
export interface KeysUnavailable {
  readonly outcome: 'unavailable'
  readonly reason: string
}

/** The secrets to try, in order. */
interface ChosenSecrets {
  readonly outcome: 'chosen'
  readonly secrets: readonly Secret[]
  /** All secrets of the id for the purpose. */
  readonly among: readonly Secret[]
  /** Whether the `kid` of the token selected the key: no other key may be tried. */
  readonly named: boolean
}

/**
 * The secrets to try for a token (spec: KeyStoreSecretStore, what becomes of a `kid`): the one named by `kid` if the secret id
 * has it; otherwise all secrets of the id in order.
 */
export async function chooseSecrets(
  { provider, secretId }: KeySource,
  purpose: 'VERIFY' | 'DECRYPT',
  kid: string | null,
): Promise<ChosenSecrets | KeysUnavailable> {
  const query = { secretId, purpose, ...(kid !== null && { stableId: kid }) }
  let secrets: readonly Secret[] | null
  try {
    secrets = await provider.find(query)
  } catch (error) {
    if (error instanceof SecretError) return { outcome: 'unavailable', reason: error.message }
    throw error
  }
  if (secrets === null) {
    return { outcome: 'unavailable', reason: `no secret store knows the secret id "${secretId}"` }
  }
  return narrowed(secrets, secretId, purpose, kid)
}

/** A `kid` of a key of another purpose still selects: no other key is tried. */
function narrowed(
  secrets: readonly Secret[],
  secretId: string,
  purpose: 'VERIFY' | 'DECRYPT',
  kid: string | null,
): ChosenSecrets | KeysUnavailable {
  const serving = secrets.filter((secret) => secret.refusal(purpose) === null)
  if (serving.length === 0) {
    const why = secrets[0]?.refusal(purpose) ?? 'it has no secret'
    return { outcome: 'unavailable', reason: `the secret id "${secretId}" can not serve ${purpose}: ${why}` }
  }
  const isNamed = (secret: Secret): boolean => kid !== null && secret.stableId === kid
  if (!secrets.some(isNamed)) return { outcome: 'chosen', secrets: serving, among: serving, named: false }
  return { outcome: 'chosen', secrets: serving.filter(isNamed), among: serving, named: true }
}
