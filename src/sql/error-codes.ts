/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_SQL: {
    meaning: 'A database could not be reached, did not respond in time, or rejected a statement.',
    action:
      'Check that the database runs, the user and password of its JdbcDataSource, and the statement of the filter.',
  },
}
