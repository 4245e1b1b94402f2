import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { TemporaryStorageKind } from '#contracts'
import { TemporaryStorage as BodyStorage, makeDirectory } from '#http'
import { ConfigError, config, defineType, integer, string } from '#schema'

const LARGEST = 2 ** 31 - 1

/** Where bodies are kept while something looks into them. */
export const TemporaryStorage = defineType({
  name: 'TemporaryStorage',
  kind: TemporaryStorageKind,
  summary: 'Keeps bodies while they are looked into: in memory first, then in a file, up to a limit.',
  config: {
    initialLength: config(integer({ min: 1, max: LARGEST }))
      .default(8_192)
      .meta({ description: 'Bytes of memory taken for a body to begin with; at most memoryLimit.' }),
    memoryLimit: config(integer({ min: 1, max: LARGEST }))
      .default(65_536)
      .meta({ description: 'Bytes of one body kept in memory; a longer one goes to a file.' }),
    fileLimit: config(integer({ min: 1, max: LARGEST }))
      .default(1_073_741_824)
      .meta({ description: 'The most bytes of one body; a longer one is refused.' }),
    directory: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'Directory of the files; relative to the instance. The directory tmp of the instance by default.',
      }),
  },
  check: ({ initialLength, memoryLimit }, report) => {
    if (initialLength <= memoryLimit) return
    report('/initialLength', `expected at most memoryLimit (${memoryLimit}), got ${initialLength}`)
  },
  create: ({ directory, ...limits }, { directories, settings }) => {
    const place = directory === undefined ? directories.temporary : resolve(directories.instance, directory)
    makeWritable(place)
    return new BodyStorage({ ...limits, directory: place }, settings.entityLimits)
  },
})

/** A directory that can not be used is found when the configuration loads, not at the first long body. */
function makeWritable(directory: string): void {
  try {
    makeDirectory(directory, 0o700)
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const message = `expected a directory that can be written to: ${(error as Error).message}`
    throw new ConfigError([{ pointer: '/directory', message }])
  }
}
