import type { EndpointResponse } from '../../http/endpoint-response.ts'
import { escaped, hidden, page, redirect } from '../../pages/html.ts'
import type { Family } from '../../settings.ts'
import type { Destination } from './authorization-request.ts'

/** Sends the outcome of an authorization request to the client, through the browser. */
export function sendOutcome(
  { redirectUri, responseMode, state }: Destination,
  fields: Readonly<Record<string, string>>,
  family: Family,
): EndpointResponse {
  const all = state === null ? fields : { ...fields, state }
  if (responseMode === 'form_post') {
    const inputs = Object.entries(all).map(([name, value]) => hidden(name, value))
    // OpenAM also puts the parameters of an ID token into the fragment of the URL.
    const action = family === 'openam' ? `${redirectUri}#${new URLSearchParams(all)}` : redirectUri
    const form = `<form method="post" action="${escaped(action)}">${inputs.join('')}<button>Continue</button></form>`
    return page('Continue', form, 200, 'document.forms[0].submit()')
  }
  const text = new URLSearchParams(all).toString()
  if (responseMode === 'fragment') return redirect(`${redirectUri}#${text}`)
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${text}`)
}
