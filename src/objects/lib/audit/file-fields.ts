import type { FilesPlan } from '#audit'
import { SecretError, secretsProvider } from '#contracts'
import { realDirectory } from '#files'
import {
  boolean,
  ConfigError,
  config,
  converted,
  type DecodedMembers,
  duration,
  type Environment,
  ignored,
  integer,
  list,
  object,
  requiredWhere,
  type SecretsProvider,
  type Settled,
  secretId,
  string,
  writtenPath,
} from '#schema'
import { type ChainKey, DateSuffix } from '#trail'

const OFF = '0 and below: no limit.'
const DAY = 86_400_000
/** Other gateways sign with the keys of a keystore. */
const NO_KEYSTORE = 'no keystore is read; name the secret that signs in secretId'
const NO_SECRET = 'a secret is needed to sign; name one, or set enabled to false'

const fileRotation = object({
  rotationEnabled: config(boolean()).default(false).meta({ description: 'Whether files are rotated.' }),
  maxFileSize: config(integer())
    .default(0)
    .meta({
      description: `Maximum size of a file in bytes; a file that would exceed it is rotated. A signed file may exceed it by its last record. ${OFF}`,
    }),
  rotationFilePrefix: config(string()).default('').meta({ description: 'Prefix of the name of a rotated file.' }),
  rotationFileSuffix: config(string()).default('-yyyy.MM.dd-HH.mm.ss').meta({
    description:
      'Date pattern in UTC after the name of a rotated file: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss`, `SSS` and text in single quotes. A name that exists gets `_1`, `_2`, and so on: no file is overwritten.',
  }),
  rotationInterval: config(duration())
    .default('disabled')
    .meta({ description: 'Time after which a file is rotated; `disabled`: none.' }),
  rotationTimes: list(config(duration({ unlimited: false, max: '24 hours' })))
    .default([])
    .meta({ description: 'Times of day at which files are rotated, as durations after midnight UTC.' }),
})

const fileRetention = object(
  {
    maxNumberOfHistoryFiles: config(integer()).default(-1).meta({
      description: 'Maximum number of rotated files of a topic; 0 and below: unlimited.',
    }),
    maxDiskSpaceToUse: config(integer())
      .default(0)
      .meta({ description: `Maximum bytes of all files of a topic; the oldest are removed. ${OFF}` }),
    minFreeSpaceRequired: config(integer())
      .default(0)
      .meta({
        description: `Minimum of free bytes on the file system; the oldest rotated files are removed for it. ${OFF}`,
      }),
  },
  { older: [ignored('rotationRetentionCheckInterval', 'it belongs beside fileRetention')] },
)

/** Fields of handlers that write files. */
export const FILE_FIELDS = {
  logDirectory: config(string({ nonEmpty: true })).meta({
    description: 'Folder of the files, relative to the instance; it is created if it does not exist.',
  }),
  filePermission: config(string())
    .default('0600')
    .meta({ description: 'Permissions of the files as octal text, such as `0640`.' }),
  fileRotation: fileRotation.default({}).meta({ description: 'When a file is rotated.' }),
  fileRetention: fileRetention.default({}).meta({ description: 'Which rotated files are removed.' }),
  rotationRetentionCheckInterval: config(duration({ min: '100 ms', max: '1 day' }))
    .default('5 seconds')
    .meta({ description: 'Time between checks of rotation times and of space.' }),
  compress: config(boolean())
    .default(false)
    .meta({ description: 'Whether rotated files are compressed (`.gz`), in the background.' }),
  security: object(
    {
      enabled: config(boolean()).default(false).meta({ description: 'Whether changes of the files can be detected.' }),
      secretId: config(secretId())
        .optional()
        .meta({ description: 'Id of the secret: at least 16 bytes for HMAC-SHA256, or a private key for signatures.' }),
      secretsProvider: secretsProvider('the secret'),
      signatureInterval: config(duration({ min: '100 ms', max: '7 days' }))
        .default('1 second')
        .meta({ description: 'Maximum time from an event to the next signed line.' }),
    },
    {
      rules: [requiredWhere('secretId', 'enabled', NO_SECRET)],
      older: [
        ignored('filename', NO_KEYSTORE),
        { ...ignored('password', NO_KEYSTORE), secret: true },
        ignored('keyStoreHandlerName', NO_KEYSTORE),
      ],
    },
  )
    .default({})
    .meta({ description: 'Tamper evidence: a chain of hashes over all lines, with signed lines in between.' }),
}

/** PingGateway documents a number, whose digits are octal. */
export const OLDER_FILE_FIELDS = [
  converted(
    ['filePermissions'],
    'filePermission',
    'use filePermission, with octal text such as "0640"',
    ({ filePermissions = null }) => ({
      filePermission: typeof filePermissions === 'number' ? String(filePermissions) : filePermissions,
    }),
  ),
]

type FileValues = Settled<DecodedMembers<typeof FILE_FIELDS>>

/** Reports values that can not be used together. */
export function checkFileFields(
  { filePermission, fileRotation: rotation, security }: FileValues,
  report: (path: string, message: string) => void,
): void {
  if (!/^0?[0-7]{3}$/.test(filePermission)) {
    report('/filePermission', `expected three octal digits such as "0640", got "${filePermission}"`)
  } else if ((Number.parseInt(filePermission, 8) & 0o600) !== 0o600) {
    report('/filePermission', 'the gateway has to read and write the files: expected 06xx or 07xx')
  }
  const suffix = DateSuffix.parse(rotation.rotationFileSuffix)
  if (typeof suffix === 'string') report('/fileRotation/rotationFileSuffix', suffix)
  if (/[/\\\u0000-\u001f]/.test(rotation.rotationFilePrefix)) {
    report('/fileRotation/rotationFilePrefix', 'expected a part of a file name, without slashes')
  }
  if (security.enabled && security.secretId === undefined) {
    report('/security/secretId', NO_SECRET)
  }
}

/** The files as plain data. */
export async function filePlanOf(
  values: FileValues & { readonly topics: readonly string[] },
  own: Pick<FilesPlan, 'extension' | 'lineEnd' | 'sync'> & {
    readonly csv: { readonly quote: string; readonly delimiter: string } | null
  },
  env: Environment,
): Promise<FilesPlan & { readonly type: 'file'; readonly exclusive: string }> {
  const { fileRotation: rotation, fileRetention: retention, security } = values
  const { rotationEnabled: isOn } = rotation
  const { csv, ...rest } = own
  const directory = writtenPath(values.logDirectory, env.directories)
  return {
    type: 'file',
    exclusive: await realDirectory(directory),
    ...rest,
    directory,
    topics: values.topics,
    keepOpen: true,
    headers: {},
    mode: Number.parseInt(values.filePermission, 8),
    rotation: {
      maxFileSize: isOn ? limit(rotation.maxFileSize) : Number.POSITIVE_INFINITY,
      interval: isOn ? limit(rotation.rotationInterval) : Number.POSITIVE_INFINITY,
      times: isOn ? rotation.rotationTimes.map((time) => time % DAY) : [],
      prefix: rotation.rotationFilePrefix,
      suffix: rotation.rotationFileSuffix,
    },
    retention: {
      maxFiles: limit(retention.maxNumberOfHistoryFiles),
      maxDiskSpace: limit(retention.maxDiskSpaceToUse),
      minFreeSpace: Math.max(retention.minFreeSpaceRequired, 0),
    },
    compress: values.compress,
    checkInterval: values.rotationRetentionCheckInterval,
    chain:
      security.enabled && security.secretId !== undefined
        ? {
            key: await chainKey(security.secretsProvider, security.secretId),
            csv,
            interval: security.signatureInterval,
            lines: 1_000,
          }
        : null,
  }
}

function limit(value: number): number {
  return value > 0 ? value : Number.POSITIVE_INFINITY
}

const MIN_SECRET_BYTES = 16

/** A password or symmetric key is a shared secret; a private key signs, so that its public key verifies. */
async function chainKey(provider: SecretsProvider, id: string): Promise<ChainKey> {
  const problem = (message: string, cause?: unknown) =>
    new ConfigError([{ pointer: '/security/secretId', message }], { cause })
  try {
    const [secret] = (await provider.find({ secretId: id, purpose: 'SIGN' })) ?? []
    if (secret === undefined) throw new SecretError(`no secret store knows the secret id "${id}"`)
    if (secret.refusal('GENERIC') !== null) {
      const refusal = secret.refusal('SIGN')
      if (refusal !== null) throw problem(`the secret id "${id}" can not sign: ${refusal}`)
      if (secret.moduleKey !== null) {
        throw problem(`the key of the secret id "${id}" is inside of a security module, which signs no audit files`)
      }
      return { pem: secret.privateOrSecretKey?.export({ type: 'pkcs8', format: 'pem' }) as string }
    }
    const bytes = secret.revealBytes()
    if (bytes.length >= MIN_SECRET_BYTES) return { secret: Uint8Array.from(bytes) }
    throw problem(`the secret id "${id}" has ${bytes.length} bytes; at least ${MIN_SECRET_BYTES} are needed`)
  } catch (error) {
    throw error instanceof ConfigError ? error : problem((error as Error).message, error)
  }
}
