import { providerOf, SecretStoreKind, SecretsProviderKind, warningsOfOrder } from '#contracts'
import { defineType, listOrOne, ref } from '#schema'

/** Searches several stores in order. */
export const SecretsProvider = defineType({
  name: 'SecretsProvider',
  kind: SecretsProviderKind,
  summary: 'Searches several secret stores in order for passwords and keys.',
  config: {
    stores: listOrOne(ref(SecretStoreKind)).meta({
      description: 'Secret stores in the order of search; the first with the secret ID is used.',
    }),
  },
  check: ({ stores }, report, warn) => {
    if (stores.length === 0) report('/stores', 'expected at least one secret store')
    for (const { pointer, message } of warningsOfOrder(stores, '/stores')) warn(message, pointer)
  },
  create: ({ stores }) => providerOf(stores),
})
