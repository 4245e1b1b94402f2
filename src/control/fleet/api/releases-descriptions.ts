import { apiDescriptions, type Description } from '#crest'
import { maxReleaseBytes } from '../fleet-settings.ts'
import data from './releases-descriptions.json' with { type: 'json' }

/** Values of a body: 100,000 files, each with a hash, and some more. */
const MAX_VALUES = 300_000

/** Descriptions of releases and instances, and of their actions. */
export const FLEET_DESCRIPTIONS = apiDescriptions(data)

/** `maxReleaseSize`: bytes of all files. */
export function releasesDescription(maxReleaseSize: number): Description {
  return {
    ...FLEET_DESCRIPTIONS.endpoints.releases,
    bodyLimits: { bytes: maxReleaseBytes(maxReleaseSize), values: MAX_VALUES },
  }
}
