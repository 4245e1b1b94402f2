import type { X509Certificate } from 'node:crypto'
import { SecretError, type SecretsProvider, secretsProvider, TrustManagerKind } from '#contracts'
import { boolean, config, defineType, renames, secretId } from '#schema'

/** Trusted certificates from secrets. */
export const SecretsTrustManager = defineType({
  name: 'SecretsTrustManager',
  kind: TrustManagerKind,
  summary: 'Trusts certificates from secret stores.',
  older: renames({ certificateVerificationSecretId: 'verificationSecretId' }),
  config: {
    verificationSecretId: config(secretId()).meta({
      description: 'Secret id of the trusted certificates: authorities, or single servers and clients.',
    }),
    secretsProvider: secretsProvider('the certificates'),
    checkRevocation: config(boolean())
      .default(true)
      .meta({ description: 'Whether revoked certificates are rejected. Not supported yet: true causes a warning.' }),
  },
  check({ checkRevocation }, _report, warn) {
    if (checkRevocation) {
      warn(
        'checkRevocation: neither CRLs nor OCSP are asked, so that revoked certificates are accepted until they expire; set it to false to say that this is known',
      )
    }
  },
  create({ verificationSecretId, secretsProvider: provider }) {
    return {
      authorities: () => certificatesOf(provider, verificationSecretId),
      onChange: (listener) => provider.onChange(listener),
    }
  },
})

/** Every certificate of every valid secret of the id. */
async function certificatesOf(provider: SecretsProvider, secretId: string): Promise<readonly X509Certificate[]> {
  const secrets = await provider.valid({ secretId, purpose: 'VERIFY' })
  // Of the chain of a key only its own certificate is trusted: its issuers would add all that they sign.
  const certificates = secrets.flatMap((secret) => secret.certificates.slice(0, 1))
  if (certificates.length > 0) return certificates
  throw new SecretError(`the secret id "${secretId}" has no certificate, which trust in TLS needs`)
}
