import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SecretStoreKind } from '#contracts'
import { boolean, config, defineType, type Environment, field, string } from '#schema'
import { SECRETS_EVENTS } from '#secrets'
import { autoRefresh, watchDirectory } from '../lib/auto-refresh.ts'
import { checkMappings, formatFields } from '../lib/formats.ts'
import { checkLease, leaseExpiry, usableLease } from '../lib/lease-expiry.ts'
import { FileSecrets } from './file-secrets.ts'
import { checkFileMappings, fileMappings, settledMappings } from './pair-mappings.ts'

/** A part of a file name, without path separators. */
const namePart = () =>
  field<string>({ label: 'the end of a file name', schema: () => ({ type: 'string' }) }, (value, report) => {
    if (typeof value !== 'string' || !/^[\w.~+-]{1,64}$/.test(value)) {
      report('expected the end of a file name, such as ".txt": letters, digits and . _ ~ + -')
    }
    return value as string
  })

/** Secrets in the files of a directory. */
export const FileSystemSecretStore = defineType({
  name: 'FileSystemSecretStore',
  kind: SecretStoreKind,
  summary: 'Reads secrets from the files of a directory, one file for each secret ID.',
  events: [SECRETS_EVENTS.FORMAT_WARNING, SECRETS_EVENTS.SECRET_UNREADABLE],
  config: {
    directory: config(string({ nonEmpty: true })).meta({
      description: 'Directory of the files; a relative path starts at the instance directory.',
    }),
    format: formatFields().format,
    mappings: fileMappings(),
    followLinks: config(boolean()).default(false).meta({
      description:
        'Whether links may lead out of the directory, as those of certbot do; links inside of it are always followed.',
    }),
    suffix: config(namePart())
      .optional()
      .meta({ description: 'Suffix of file names after the secret ID, such as `.txt`.' }),
    versionSuffix: config(namePart()).optional().meta({
      description: 'Separator of secret ID and version number in file names, such as `.v`.',
    }),
    leaseExpiry: leaseExpiry(),
    autoRefresh: autoRefresh(),
  },
  check: ({ mappings, leaseExpiry }, report, warn) => {
    checkLease(leaseExpiry, warn)
    checkMappings(mappings, report)
    checkFileMappings(mappings, report)
  },
  create: async ({ directory, followLinks, leaseExpiry, autoRefresh, suffix, versionSuffix, ...values }, env) => {
    const path = resolve(env.directories.instance, directory)
    await warnOfAbsence(path, env)
    const { formats, pairs } = settledMappings(values.format, values.mappings)
    const names = { directory: path, suffix: suffix ?? '', versionSuffix: versionSuffix ?? null, pairs }
    const lease = usableLease(leaseExpiry)
    const secrets = new FileSecrets({ ...names, followLinks, lease }, formats, env)
    watchDirectory(autoRefresh, path, env, () => secrets.check())
    return secrets
  },
})

async function warnOfAbsence(directory: string, env: Environment): Promise<void> {
  const isDirectory = await stat(directory).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isDirectory) env.warn(`there is no directory "${directory}"; its secrets are not known until there is`)
}
