/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_ACCESS_MANAGER: {
    meaning: 'The access manager can not be reached, or refused the agent. Requests that need it get 503.',
    action: 'The message names the cause; check `url`, `agent` and the log of the access manager.',
  },
  GW_SECRET_UNAVAILABLE: {
    meaning: 'No secret store has a valid secret of this id and purpose.',
    action:
      'Check the id, the mappings of the stores and the files they read; the message lists the stores that were asked.',
  },
  GW_SESSION_TOO_LARGE: {
    meaning: 'A session does not fit into its cookies or its store.',
    action: 'Store less in it, or use a session manager with a higher limit; the message names the limit.',
  },
  GW_SESSION_UNAVAILABLE: {
    meaning: 'The store of sessions can not be reached. Requests that need a session get 503.',
    action: 'Check the control thread or Redis, as the message says.',
  },
}
