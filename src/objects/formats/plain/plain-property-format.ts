import { plainPassword, SecretFormatKind } from '#contracts'
import { defineType } from '#schema'

/** Uses the content of a secret as a password, unchanged. */
export const PlainPropertyFormat = defineType({
  name: 'PlainPropertyFormat',
  kind: SecretFormatKind,
  summary: 'Reads a secret as a password, without decoding.',
  config: {},
  create: () => ({ decode: async (content) => [{ bytes: plainPassword(content) }] }),
})
