import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Secret, type SecretStore, SecretStoreKind } from '#contracts'
import { defineType, map, string } from '#schema'
import type { Changing } from './certificates.ts'

/** Secrets of a test: PEM texts by id, read at each query. */
export type PemSecrets = Record<string, string>

/** A secret store type of one test, whose content the test can change. */
export function pemStoreType(secrets: Changing<PemSecrets>) {
  return defineType({
    name: 'PemStore',
    kind: SecretStoreKind,
    summary: 'Secrets of a test.',
    config: { unused: map(string()).optional() },
    create: (): SecretStore => ({
      find: async ({ secretId }) => {
        const pem = secrets.value[secretId]
        return pem === undefined ? null : [secretOf(secretId, pem)]
      },
      onChange: secrets.onChange,
    }),
  })
}

function secretOf(secretId: string, pem: string): Secret {
  const certificates = [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(
    ([each]) => new X509Certificate(each),
  )
  const [key] = /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----[^-]+-----END (?:EC |RSA )?PRIVATE KEY-----/.exec(pem) ?? []
  if (key === undefined && certificates.length === 0) return new Secret({ secretId, bytes: Buffer.from(pem) })
  return new Secret({ secretId, certificates, ...(key !== undefined && { key: createPrivateKey(key) }) })
}
