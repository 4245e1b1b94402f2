/** A response. Objects are sent as JSON, text unchanged, null is no body. */
export interface EndpointResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body: object | string | null
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}

/** A response with a JSON body. */
export function json(body: object, status = 200, headers: EndpointResponse['headers'] = {}): EndpointResponse {
  return { status, headers, body }
}

/** An error in the format of the Common REST endpoints. */
export function crestError(
  status: number,
  message: string,
  headers: EndpointResponse['headers'] = {},
): EndpointResponse {
  return { status, headers, body: { code: status, reason: REASONS[status] ?? 'Error', message } }
}

/** An error in the format of RFC 6749 section 5.2. */
export function oauthError(
  error: string,
  description: string,
  status = 400,
  headers: EndpointResponse['headers'] = {},
): EndpointResponse {
  return { status, headers, body: { error_description: description, error } }
}
