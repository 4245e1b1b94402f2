import type { SecretsProvider } from '#contracts'

/** The fields by which a password is given. */
interface PasswordFields {
  readonly password?: string | undefined
  readonly passwordSecretId?: string | undefined
  readonly secretsProvider?: SecretsProvider | undefined
}

/** Gives the password when it is needed, as it is then; null where none is configured. */
export function passwordSource(fields: PasswordFields): () => Promise<Buffer | null> {
  const { password, passwordSecretId, secretsProvider } = fields
  return async () => {
    if (password !== undefined) return Buffer.from(password, 'utf8')
    if (passwordSecretId === undefined || secretsProvider === undefined) return null
    const secret = await secretsProvider.active({ secretId: passwordSecretId, purpose: 'GENERIC' })
    return secret.revealBytes()
  }
}
