import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_SQL', {
  UNAVAILABLE: {
    message: 'database unavailable: requests that need it get 503',
    meaning:
      'No connection to the database of a JdbcDataSource can be opened. It is attempted again with the next request.',
    action:
      'See `problem`: check that the database runs, its address, and user, password and certificates of the object.',
  },
})
