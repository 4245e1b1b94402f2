/** Error codes of this package: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_JSON_SYNTAX: {
    meaning: 'A file or a body is not JSON.',
    action: 'Correct the text at the line and column that the message names.',
  },
}
