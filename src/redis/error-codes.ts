/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_REDIS: {
    meaning: 'Redis refused a command or did not answer it in time.',
    action: 'Check that Redis runs, that the network reaches it, and the user and password of its service.',
  },
}
