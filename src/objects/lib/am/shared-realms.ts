import { isRealmOrAny } from '#access-manager'
import { config, list, string } from '#schema'

/** The field `sharedRealms`: realms admitted besides the own one. */
export const sharedRealmsField = (description: string) =>
  list(config(string({ nonEmpty: true })))
    .default([])
    .meta({ description })

/** Reports entries that are neither a realm nor `*`. */
export function reportSharedRealms(
  shared: readonly string[],
  report: (pointer: string, message: string) => void,
): void {
  for (const [at, realm] of shared.entries()) {
    if (isRealmOrAny(realm)) continue
    report(`/sharedRealms/${at}`, `expected a realm such as "/alpha", or "*", got ${JSON.stringify(realm)}`)
  }
}
