import type { Description } from '#crest'
import type { JsonObject } from '#json'

const MIB = 1024 * 1024

/** Values of a body: 100,000 files, each with a hash, and some more. */
const MAX_VALUES = 300_000

const LABELS: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }

const FILE: JsonObject = {
  description:
    'The text of the file; or its bytes as base64; or the SHA-256 of a content that the current release has, so that it need not be sent.',
  anyOf: [
    { type: 'string' },
    { type: 'object', required: ['base64'], properties: { base64: { type: 'string' } } },
    { type: 'object', required: ['sha256'], properties: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } } },
  ],
}

/** Request of create. */
const REQUEST: JsonObject = {
  type: 'object',
  required: ['files'],
  properties: {
    files: {
      type: 'object',
      description: 'All files of the release by their paths: config/config.json, config/routes/**.json, scripts/**.',
      additionalProperties: FILE,
    },
    note: { type: ['string', 'null'] },
    only: { ...LABELS, description: 'Stages the release: only instances with all of these labels serve it.' },
    parent: {
      type: ['integer', 'null'],
      description: 'The release that has to be the current one, null for none; any without it.',
    },
  },
}

const ANSWER: JsonObject = {
  type: 'object',
  properties: {
    parent: { type: ['integer', 'null'], description: 'The release that was current when this one was made.' },
    author: { type: 'string' },
    created: { type: 'string', format: 'date-time', description: 'By the clock of the gateway that made it.' },
    note: { type: ['string', 'null'] },
    files: { type: 'integer', description: 'Number of its files.' },
    bytes: { type: 'integer' },
    stage: {
      ...LABELS,
      type: ['object', 'null'],
      description: 'Labels of the instances that serve it, while it is staged.',
    },
    current: { type: 'boolean', description: 'Whether instances serve it that serve no staged one.' },
    problem: { type: 'string', description: 'Why its record can not be read.' },
    unchanged: {
      type: 'boolean',
      description: 'In responses: no release was made, since this one has the same files.',
    },
  },
}

/** Bytes of a request that makes a release: in JSON a text may be twice as long. */
export function maxReleaseBytes(maxReleaseSize: number): number {
  return 2 * maxReleaseSize + MIB
}

/** `maxReleaseSize`: bytes of all files. */
export function releasesDescription(maxReleaseSize: number): Description {
  return {
    id: 'gateway:releases',
    title: 'Releases',
    description: 'Releases of the configuration in the store that several gateways share, the newest first.',
    version: '1.0',
    idPattern: '^[1-9][0-9]{0,9}$',
    ids: 'server',
    revisions: false,
    schema: REQUEST,
    answer: ANSWER,
    bodyLimits: { bytes: maxReleaseBytes(maxReleaseSize), values: MAX_VALUES },
  }
}

export const RELEASE_RESPONSE: JsonObject = ANSWER

export const ADOPT_REQUEST: JsonObject = {
  type: 'object',
  properties: {
    empty: {
      type: 'boolean',
      description: 'Required where the store has no release: the files of the instance are served.',
    },
  },
}

export const FILES_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    files: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { sha256: { type: 'string' }, bytes: { type: 'integer' } },
      },
    },
  },
}

export const CONTENTS_REQUEST: JsonObject = {
  type: 'object',
  properties: { paths: { type: 'array', items: { type: 'string' }, description: 'All files without it.' } },
}

export const CONTENTS_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    files: {
      type: 'object',
      description: 'Texts; an object with base64 for a file that is not UTF-8.',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    },
    left: { type: 'array', items: { type: 'string' }, description: 'Paths that did not fit: ask for them again.' },
  },
}

/** Description of the instances. */
export const INSTANCES_DESCRIPTION: Description = {
  id: 'gateway:instances',
  title: 'Instances',
  description: 'Gateways that use the same store, as each of them reports itself; gone 15 seconds after it ends.',
  version: '1.0',
  idPattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
  revisions: false,
  schema: {
    type: 'object',
    properties: {
      version: { type: 'string' },
      address: { type: 'string', description: 'Where it serves traffic.' },
      labels: LABELS,
      wanted: { type: ['integer', 'null'], description: 'The release that it should serve.' },
      served: { type: ['integer', 'null'], description: 'The last release of which it serves every file.' },
      state: { type: 'string', enum: ['current', 'behind', 'failing'] },
      problems: {
        type: 'array',
        items: {
          type: 'object',
          properties: { file: { type: 'string' }, pointer: { type: 'string' }, message: { type: 'string' } },
        },
      },
      since: { type: 'string', format: 'date-time', description: 'By the clock of the instance.' },
    },
  },
}
