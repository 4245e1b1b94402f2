import { redacted } from './confidential.ts'
import { isSecretParameter } from './secret-names.ts'

// Each pattern starts at a fixed character or is bounded, so that matching takes linear time.
const PARAMETER = /([?&#])([^=&#;?\s"'<>]{1,128})=([^&#;\s"<>]*)/g
const PATH_PARAMETER = /(;)([^=&#;?\s"'<>]{1,128})=([^?&#;/\s"<>]*)/g
const USER_INFO = /\/\/[^/?#\s"<>@]{1,256}@/g
const JSON_WEB_TOKEN = /\beyJ[\w-]{10,}(?:\.[\w-]*)*/g
const CREDENTIALS = /\b(bearer|basic|dpop)(\s{1,8})[\w.~+/=-]{8,}/gi

/** A header value or URI in which credentials are masked, by their form or by the name of a parameter. */
export function maskText(text: string): string {
  return text
    .replace(USER_INFO, `//${redacted}@`)
    .replace(PARAMETER, maskedParameter)
    .replace(PATH_PARAMETER, maskedParameter)
    .replace(JSON_WEB_TOKEN, redacted)
    .replace(CREDENTIALS, `$1$2${redacted}`)
}

/** Credentials in paths are rare, and masking them costs more than the rest of a line. */
const MAY_HOLD_CREDENTIALS = /[;=&@]|eyJ/
const MAX_PATH = 1_024

/** The path of a client, truncated, and without credentials in path parameters or segments. */
export function maskedPath(path: string): string {
  const text = path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}...`
  return MAY_HOLD_CREDENTIALS.test(text) ? maskText(text) : text
}

function maskedParameter(whole: string, before: string, name: string, value: string): string {
  return value !== '' && isSecretParameter(decodedName(name)) ? `${before}${name}=${redacted}` : whole
}

/** The name of a parameter, decoded where it is valid. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
