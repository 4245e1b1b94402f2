import { type SecretFormat, SecretFormatKind } from '#contracts'
import { config, list, object, ref, secretId } from '#schema'

/** The fields `format` and `mappings` of stores with one content for each id. */
export function formatFields() {
  return {
    format: ref(SecretFormatKind)
      .default('BASE64')
      .meta({ description: 'Format of the secrets: `PLAIN`, `BASE64` or a format object.' }),
    mappings: list(
      object({
        secretId: config(secretId({ defined: true })).meta({ description: 'Secret ID with its own format.' }),
        format: ref(SecretFormatKind).meta({ description: 'Format of that secret.' }),
      }),
    )
      .default([])
      .meta({ description: 'Formats of single secrets, where they differ from `format`.' }),
  }
}

/** The settled values of those fields. */
export interface FormatSettings {
  readonly format: SecretFormat
  readonly mappings: readonly { readonly secretId: string; readonly format: SecretFormat }[]
}

/** Reports an id that is mapped twice. */
export function checkMappings(
  mappings: readonly { readonly secretId: string }[],
  report: (path: string, message: string) => void,
): void {
  const seen = new Set<string>()
  for (const [at, { secretId }] of mappings.entries()) {
    if (seen.has(secretId)) report(`/mappings/${at}/secretId`, `the secret id "${secretId}" is mapped twice`)
    seen.add(secretId)
  }
}

/** The format of a secret id. */
export function formatOf({ format, mappings }: FormatSettings): (secretId: string) => SecretFormat {
  const byId = new Map(mappings.map((mapping) => [mapping.secretId, mapping.format]))
  return (secretId) => byId.get(secretId) ?? format
}
