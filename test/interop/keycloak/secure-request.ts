import { request } from 'node:https'

/** A request over TLS to a server without verification of its certificate. */
export function secureRequest(
  url: string,
  options: object,
  form: URLSearchParams | null = null,
): Promise<{ status: number; text: string }> {
  const type = form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { ...type, ...(options as { headers?: object }).headers }
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, headers, rejectUnauthorized: false, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode as number, text })).on('error', reject)
    })
    sent.on('error', reject).end(form === null ? undefined : String(form))
  })
}
