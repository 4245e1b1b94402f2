import type { JsonObject } from '#json'
import { ConfigError, integer } from '#schema'

/** Version of the layout and the files of an instance; higher where a gateway of this version could not use an instance. */
export const INSTANCE_VERSION = 1

/** `version` of admin.json. */
export const versionField = integer({ min: 1, max: INSTANCE_VERSION }).optional().meta({
  description:
    'Version of the instance, written by `gateway init`. A gateway does not start on an instance of a higher version than it knows.',
})

/** Throws for an instance of a newer gateway, whose other fields may be unknown: this is its only problem then. */
export function checkInstanceVersion(json: JsonObject): void {
  const version = Number(json['version'])
  if (!Number.isInteger(version) || version <= INSTANCE_VERSION) return
  const message = `this instance has version ${version}, and this gateway knows instances up to version ${INSTANCE_VERSION}; run a newer gateway`
  throw new ConfigError([{ pointer: '/version', message }])
}
