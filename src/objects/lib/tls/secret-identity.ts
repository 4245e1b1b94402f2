import { type Secret, SecretError, type SecretsProvider, type TlsIdentity } from '#contracts'

/** The key and certificate chain of the active secret of an id. */
export async function activeIdentity(provider: SecretsProvider, secretId: string): Promise<TlsIdentity> {
  return identityOfSecret(await provider.active({ secretId, purpose: 'SIGN' }))
}

/** The key and certificate chain of a secret. */
export function identityOfSecret(secret: Secret): TlsIdentity {
  const { secretId, privateOrSecretKey: key } = secret
  if (secret.moduleKey !== null) {
    throw new SecretError(
      `the private key of the secret id "${secretId}" is inside of a security module, and TLS of Node.js needs the key itself; use KeyStoreSecretStore for TLS`,
    )
  }
  if (key === null || key.type !== 'private') {
    throw new SecretError(`the secret id "${secretId}" has no private key, which TLS needs`)
  }
  return identityOf(key, secret.certificates, `the secret id "${secretId}"`)
}

/** A key and its chain. Throws where the certificate has another key. */
export function identityOf(key: TlsIdentity['key'], chain: TlsIdentity['chain'], where: string): TlsIdentity {
  const [own] = chain
  if (own === undefined) throw new SecretError(`${where} has no certificate, which TLS needs`)
  if (!own.checkPrivateKey(key)) throw new SecretError(`${where} has a certificate of another key`)
  return { key, chain }
}
