/** The header Accept-API-Version. */
interface ApiVersion {
  readonly protocol: string | null
  /** Major and minor number; null for any. */
  readonly resource: readonly [number, number] | null
}

const FORM = /^(protocol|resource)=(\d{1,4})(?:\.(\d{1,4}))?$/

/** Parses `protocol=1.0,resource=2.1`, either part alone or none; null for other text. */
export function readApiVersion(header: string | undefined): ApiVersion | null {
  let protocol: string | null = null
  let resource: readonly [number, number] | null = null
  for (const part of (header ?? '').split(',').map((text) => text.trim())) {
    if (part === '') continue
    const match = FORM.exec(part)
    if (match === null) return null
    if (match[1] === 'protocol') protocol = `${match[2]}.${match[3] ?? '0'}`
    else resource = [Number(match[2]), Number(match[3] ?? '0')]
  }
  return { protocol, resource }
}
