import type { Uri } from '#http'

/** Query parameter with the transaction id in the redirect from the access manager (protocol 5.2). */
const PARAMETER = '_txid'
const FORM = /^[A-Za-z0-9._~-]{1,256}$/

/** Removes and returns the transaction id of a URI; other parameters are unchanged. */
export function removeTransactionId(uri: Uri): string | null {
  const { rawQuery } = uri
  if (rawQuery === null || !rawQuery.includes(PARAMETER)) return null
  const pairs = rawQuery.split('&')
  const ours = pairs.filter(isTransaction)
  if (ours.length === 0) return null
  const kept = pairs.filter((pair) => !isTransaction(pair))
  uri.rawQuery = kept.length === 0 ? null : kept.join('&')
  const id = ours.length === 1 ? (ours[0] as string).slice(PARAMETER.length + 1) : ''
  return FORM.test(id) ? id : null
}

/** The URI with the id of a transaction in its query. */
export function withTransaction(uri: Uri, id: string): string {
  const copy = uri.clone()
  removeTransactionId(copy)
  const pair = `${PARAMETER}=${encodeURIComponent(id)}`
  copy.rawQuery = copy.rawQuery === null || copy.rawQuery === '' ? pair : `${copy.rawQuery}&${pair}`
  return copy.toString()
}

function isTransaction(pair: string): boolean {
  return pair === PARAMETER || pair.startsWith(`${PARAMETER}=`)
}
