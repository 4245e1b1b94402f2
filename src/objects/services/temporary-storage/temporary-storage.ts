import { accessSync, constants } from 'node:fs'
import { TemporaryStorageKind } from '#contracts'
import { makeDirectory } from '#files'
import { TemporaryStorage as BodyStorage } from '#http'
import { ConfigError, config, defineType, integer, string, writtenPath } from '#schema'

const LARGEST = 2 ** 31 - 1

/** Buffers bodies in memory, and in files beyond a limit. */
export const TemporaryStorage = defineType({
  name: 'TemporaryStorage',
  kind: TemporaryStorageKind,
  summary: 'Buffers bodies in memory, and in a file beyond a limit.',
  config: {
    initialLength: config(integer({ min: 1, max: LARGEST }))
      .default(8_192)
      .meta({ description: 'Initial memory of a body in bytes; at most memoryLimit.' }),
    memoryLimit: config(integer({ min: 1, max: LARGEST }))
      .default(65_536)
      .meta({ description: 'Maximum bytes of a body in memory; a longer one spills to a file.' }),
    fileLimit: config(integer({ min: 1, max: LARGEST }))
      .default(1_073_741_824)
      .meta({ description: 'Maximum bytes of a body; a longer one is rejected.' }),
    directory: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Directory of the files; relative to the state directory, or to the instance without one. tmp by default.',
      }),
  },
  check: ({ initialLength, memoryLimit }, report) => {
    if (initialLength <= memoryLimit) return
    report('/initialLength', `expected at most memoryLimit (${memoryLimit}), got ${initialLength}`)
  },
  create: ({ directory, ...limits }, { directories, settings, serving }) => {
    const place = directory === undefined ? directories.temporary : writtenPath(directory, directories)
    // A dry run writes nothing to an instance that may be read-only.
    if (serving || directory !== undefined) makeWritable(place)
    return new BodyStorage({ ...limits, directory: place }, settings.entityLimits)
  },
})

/** Reports an unusable directory at load, not with the first long body. */
function makeWritable(directory: string): void {
  try {
    makeDirectory(directory, 0o700)
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const message = `expected a directory that can be written to: ${(error as Error).message}`
    throw new ConfigError([{ pointer: '/directory', message }])
  }
}
