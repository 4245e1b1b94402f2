/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_CONFIG_INVALID: {
    meaning:
      'A configuration has problems; each is listed with file, line and pointer. Nothing of it is used, and the last good version stays active.',
    action: 'Correct the listed problems; `gateway validate` checks without a running gateway.',
  },
}
