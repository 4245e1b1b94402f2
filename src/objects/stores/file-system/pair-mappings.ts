import { isAbsolute, normalize, sep } from 'node:path'
import { type SecretFormat, SecretFormatKind } from '#contracts'
import { config, list, object, ref, secretId, string } from '#schema'
import { decodePem } from '#secrets'
import type { FormatSettings } from '../lib/formats.ts'

/** Certificate and key of a secret id in separate files, relative to the directory of the store. */
export interface FilePair {
  readonly certificateFile: string
  readonly keyFile: string
}

/** The field `mappings` of FileSystemSecretStore. */
export function fileMappings() {
  return list(
    object({
      secretId: config(secretId({ defined: true })).meta({ description: 'Secret ID with its own format or files.' }),
      format: ref(SecretFormatKind).optional().meta({ description: 'Format of that secret.' }),
      certificateFile: config(string({ nonEmpty: true }))
        .optional()
        .meta({
          description: 'File with the certificate and its issuers in PEM, relative to `directory`; with `keyFile`.',
        }),
      keyFile: config(string({ nonEmpty: true }))
        .optional()
        .meta({
          description: 'File with the private key in PEM, relative to `directory`; with `certificateFile`.',
        }),
    }),
  )
    .default([])
    .meta({
      description: 'Formats of single secrets, where they differ from `format`, and files of certificate pairs.',
    })
}

interface DecodedMapping {
  readonly format?: unknown
  readonly certificateFile?: unknown
  readonly keyFile?: unknown
}

/** Reports mappings with one file of a pair, or without any effect. */
export function checkFileMappings(
  mappings: readonly DecodedMapping[],
  report: (path: string, message: string) => void,
): void {
  for (const [at, { format, certificateFile, keyFile }] of mappings.entries()) {
    if (certificateFile !== undefined && keyFile === undefined) {
      report(`/mappings/${at}/keyFile`, 'required beside certificateFile')
    } else if (keyFile !== undefined && certificateFile === undefined) {
      report(`/mappings/${at}/certificateFile`, 'required beside keyFile')
    } else if (format === undefined && keyFile === undefined) {
      report(`/mappings/${at}`, 'give format, or certificateFile and keyFile')
    }
  }
}

interface FileMapping {
  readonly secretId: string
  readonly format: SecretFormat | undefined
  readonly certificateFile: string | undefined
  readonly keyFile: string | undefined
}

/** PEM without a password, for pairs in a store with another format. */
const PEM: SecretFormat = { acceptsPairs: true, decode: async (content) => decodePem(content, null) }

/** Formats and certificate pairs by secret id, from the settled mappings. Throws where a pair is unusable. */
export function settledMappings(
  format: SecretFormat,
  mappings: readonly FileMapping[],
): { readonly formats: FormatSettings; readonly pairs: ReadonlyMap<string, FilePair> } {
  const pairs = new Map<string, FilePair>()
  const formats = mappings.map(({ secretId, certificateFile, keyFile, ...mapping }) => {
    if (certificateFile === undefined || keyFile === undefined) {
      return { secretId, format: mapping.format as SecretFormat }
    }
    for (const file of [certificateFile, keyFile]) checkInside(secretId, file)
    if (mapping.format !== undefined && mapping.format.acceptsPairs !== true) {
      throw new TypeError(`the mapping of "${secretId}": certificateFile and keyFile need the format PemPropertyFormat`)
    }
    pairs.set(secretId, { certificateFile, keyFile })
    return { secretId, format: mapping.format ?? (format.acceptsPairs === true ? format : PEM) }
  })
  return { formats: { format, mappings: formats }, pairs }
}

function checkInside(secretId: string, file: string): void {
  if (!isAbsolute(file) && normalize(file).split(sep)[0] !== '..') return
  throw new TypeError(
    `the mapping of "${secretId}": expected a file below directory, got ${JSON.stringify(file)}; set directory to a folder above it`,
  )
}
