/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_RELEASE: {
    meaning:
      'A value of the store of releases is not what it must be: no manifest, a newer format, a path that is not allowed, a wrong hash, a missing content, or a size beyond its limit. Nothing of that release takes effect.',
    action:
      'Upgrade the gateway for a newer format; otherwise push the release again, or roll back to one that can be read.',
  },
}
