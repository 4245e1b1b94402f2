import type { SecretsProvider } from '#contracts'
import { clearTextStore, type FieldMigration } from '#schema'

/** The fields for a password. */
interface PasswordFields {
  readonly password?: string | undefined
  readonly passwordSecretId?: string | undefined
  readonly secretsProvider: SecretsProvider
}

/** Returns the current password at each call; null where none is configured. */
export function passwordSource(fields: PasswordFields): () => Promise<Buffer | null> {
  const { password, passwordSecretId, secretsProvider } = fields
  return async () => {
    if (password !== undefined) return Buffer.from(password, 'utf8')
    if (passwordSecretId === undefined) return null
    const secret = await secretsProvider.active({ secretId: passwordSecretId, purpose: 'GENERIC' })
    return secret.revealBytes()
  }
}

/** A password in clear text becomes a secret. */
export function passwordMigration(secretId: string): FieldMigration {
  return {
    fields: ['password'],
    migrate: ({ password = null }, { secretsProvider }) => ({
      passwordSecretId: secretId,
      secretsProvider: clearTextStore(secretId, password, secretsProvider),
    }),
  }
}
