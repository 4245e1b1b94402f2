/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_ETCD: {
    meaning: 'A member of etcd refused a request or did not respond in time.',
    action: 'Check that a majority of its members runs, the endpoints, user and password, trust, and its quota.',
  },
}
