import { type Secret, SecretError, type SecretsProvider } from '#contracts'
import { equalsConstantTime } from '#http'
import type { KeySource } from '#jose'
import { isSecretId, SECRET_ID_FORM } from '#schema'
import { InvalidCallError } from './errors.ts'

/** Text of a secret in scripts and logs. */
export const MASKED = '[redacted]'

/**
 * A secret that a script received from `secrets.get`. Scripts pass it to functions that sign, verify, encrypt or decrypt, and compare
 * texts with it; they can not read its value.
 */
export class ScriptSecret {
  readonly secretId: string
  readonly #provider: SecretsProvider
  readonly #active: Secret

  constructor({ provider, secretId }: KeySource, active: Secret) {
    this.secretId = secretId
    this.#provider = provider
    this.#active = active
  }

  get stableId(): string | null {
    return this.#active.stableId
  }

  /** The secret to sign and encrypt with: the first one of its id. */
  get active(): Secret {
    return this.#active
  }

  /** All secrets of the id, to verify and decrypt with. */
  get source(): KeySource {
    return { provider: this.#provider, secretId: this.secretId }
  }

  /** Whether a text is one of the passwords of the id: the new one or, while both are valid, the old one. */
  async matches(text: string): Promise<boolean> {
    const passwords = await this.#provider.valid({ secretId: this.secretId, purpose: 'GENERIC' })
    // Each one is compared, so that the time does not show which of them is equal.
    return passwords.filter((each) => equalsConstantTime(each.revealText(), text)).length > 0
  }

  toString(): string {
    return MASKED
  }

  toJSON(): string {
    return MASKED
  }
}

/** Why a text is not the id of a secret; null where it is. */
export function secretIdProblem(text: string): string | null {
  return isSecretId(text) ? null : `expected ${SECRET_ID_FORM}, got ${JSON.stringify(text.slice(0, 80))}`
}

/** Finds the secret of an id. Throws SecretError where no store has it, InvalidCallError where the id is invalid. */
export async function findSecret(provider: SecretsProvider | null, secretId: string): Promise<ScriptSecret> {
  if (provider === null) throw new InvalidCallError(`secrets.get: ${NO_SECRETS_PROVIDER}`)
  const problem = secretIdProblem(secretId)
  if (problem !== null) throw new InvalidCallError(`secrets.get: ${problem}`)
  const found = await provider.find({ secretId, purpose: 'VERIFY' })
  const [active] = found ?? []
  if (active !== undefined) return new ScriptSecret({ provider, secretId }, active)
  const reason = found === null ? `no secret store knows the secret id "${secretId}"` : `"${secretId}" has no secret`
  throw new SecretError(`secrets.get: ${reason}`)
}

/** `secret.matches(text)` of scripts; a missing text matches nothing. */
export async function matchesSecret(secret: unknown, text: unknown): Promise<boolean> {
  if (!(secret instanceof ScriptSecret)) throw new InvalidCallError('matches: expected a secret of secrets.get')
  if (text === null || text === undefined) return false
  if (typeof text !== 'string') throw new InvalidCallError(`matches: expected a text, got ${typeof text}`)
  return secret.matches(text)
}

/** Why `secrets` is missing, and the remedy. */
export const NO_SECRETS_PROVIDER = 'the object of this script has no secretsProvider; add one to its configuration'
