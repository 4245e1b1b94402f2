import type { AmDialect, LoginAdvice } from '#contracts'

/**
 * Query parameters of a login page that select the authentication: by an advice, else by a service. The classic pages of OpenAM read
 * `service` and `sunamcompositeadvice` alone, its XUI pages all of them, those of PingAM `authIndexType` and `authIndexValue`.
 */
export function loginParameters(
  { family }: AmDialect,
  service: string | null,
  advice?: LoginAdvice,
): Readonly<Record<string, string>> {
  const isOpenAm = family === 'openam'
  if (advice !== undefined) {
    const { value, xml } = advice
    const index = { authIndexType: 'composite_advice', authIndexValue: value }
    return isOpenAm ? { ...index, sunamcompositeadvice: xml } : index
  }
  if (service === null) return {}
  const index = { authIndexType: 'service', authIndexValue: service }
  return isOpenAm ? { ...index, service } : index
}
