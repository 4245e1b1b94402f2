import { type DecodedSecret, SecretFormatKind } from '#contracts'
import { defineType } from '#schema'
import { decodeJwk, jwkThumbprint } from '#secrets'

/** Decodes a JSON Web Key. */
export const JwkPropertyFormat = defineType({
  name: 'JwkPropertyFormat',
  kind: SecretFormatKind,
  summary: 'Reads a secret as a JSON Web Key.',
  config: {},
  create: () => ({ decode: async (content) => [keyIn(content)] }),
})

function keyIn(content: Buffer): DecodedSecret {
  const decoded = decodeJwk(parsed(content), 'whole')
  const { key, stableId } = decoded
  // A symmetric key gets no thumbprint as id: a digest of it would help to guess it.
  if (stableId !== null || key === undefined || key.type === 'secret') return decoded
  return { ...decoded, stableId: jwkThumbprint(key) }
}

/** The message of JSON.parse could contain a part of the key. */
function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    throw new Error('expected a JSON Web Key, but it is no JSON')
  }
}
