export const RELEASES = '/api/system/releases'
export const INSTANCES = '/api/system/instances'

/** Whether a path is one of a fleet, also without a store. */
export function isFleetPath(rawPath: string): boolean {
  return [RELEASES, INSTANCES].some((base) => rawPath === base || rawPath.startsWith(`${base}/`))
}
