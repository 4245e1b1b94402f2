import { createSecretKey } from 'node:crypto'
import { type DecodedSecret, type SecretFormat, SecretFormatKind } from '#contracts'
import { config, defineType, ref, string } from '#schema'

/** Decodes symmetric keys by another format. */
export const SecretKeyPropertyFormat = defineType({
  name: 'SecretKeyPropertyFormat',
  kind: SecretFormatKind,
  summary: 'Reads a secret as a symmetric key.',
  config: {
    format: ref(SecretFormatKind)
      .default('BASE64')
      .meta({ description: 'Format of the bytes of the key: `BASE64`, `PLAIN` or another that returns bytes.' }),
    algorithm: config(string({ nonEmpty: true })).meta({
      description: 'Algorithm of the key, such as `AES`, `HmacSHA256` or a JWA name.',
    }),
  },
  create: ({ format, algorithm }) => symmetricKeys(format, algorithm),
})

/** Converts the bytes that a format returns into keys. */
function symmetricKeys(format: SecretFormat, algorithm: string): SecretFormat {
  const keyOf = ({ bytes, stableId = null }: DecodedSecret): DecodedSecret => {
    if (bytes === undefined) throw new Error('expected the bytes of a symmetric key, got a key of another kind')
    return { key: createSecretKey(bytes), stableId, algorithm }
  }
  return { decode: async (content, warn) => (await format.decode(content, warn)).map(keyOf) }
}
