import type { QueryClient } from '@tanstack/react-query'
import { LOGGED_OUT, type Session } from '../api/session.ts'

/** Shows the log-in at once after a log-out, here or in another tab; nothing that was read stays for the next user. */
export function showLoggedOut(queries: QueryClient): void {
  queries.setQueryData<Session>(['session'], LOGGED_OUT)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}
