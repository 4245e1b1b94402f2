/** What each listener counts, as the name and help of its metric. A new count is a row here, and `counts` of a ListenerContext. */
export const LISTENER_COUNTS = {
  refused: ['gw_connections_refused_total', 'Connections that were closed at once, since too many files were open.'],
  abusive: [
    'gw_connections_abusive_total',
    'Connections that were closed to protect other clients, such as after a flood of stream resets.',
  ],
} as const

export type ListenerCount = keyof typeof LISTENER_COUNTS

export type ListenerCounts = Record<ListenerCount, number>

export function noCounts(): ListenerCounts {
  return Object.fromEntries(Object.keys(LISTENER_COUNTS).map((name) => [name, 0])) as ListenerCounts
}
