import { base64Bytes, SecretFormatKind } from '#contracts'
import { defineType } from '#schema'

/** Decodes the content of a secret from base64. */
export const Base64PropertyFormat = defineType({
  name: 'Base64PropertyFormat',
  kind: SecretFormatKind,
  summary: 'Decodes a secret from base64.',
  config: {},
  create: () => ({ decode: async (content, warn) => [{ bytes: base64Bytes(content, warn) }] }),
})
