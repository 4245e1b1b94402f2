import { apiDescriptions, type Description } from '#crest'
import data from './releases-descriptions.json' with { type: 'json' }

const MIB = 1024 * 1024

/** Values of a body: 100,000 files, each with a hash, and some more. */
const MAX_VALUES = 300_000

/** Descriptions of releases and instances, and of their actions. */
export const FLEET_DESCRIPTIONS = apiDescriptions(data)

/** Bytes of a request that makes a release: in JSON a text may be twice as long. */
export function maxReleaseBytes(maxReleaseSize: number): number {
  return 2 * maxReleaseSize + MIB
}

/** `maxReleaseSize`: bytes of all files. */
export function releasesDescription(maxReleaseSize: number): Description {
  return {
    ...FLEET_DESCRIPTIONS.endpoints.releases,
    bodyLimits: { bytes: maxReleaseBytes(maxReleaseSize), values: MAX_VALUES },
  }
}
