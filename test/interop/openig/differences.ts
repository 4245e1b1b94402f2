import type { CaseOutcome } from '#test/case-requests'

/** Fields that routes and clients set; others, such as Date and Via, are the servers' own. */
const COMPARED = /^(?:x-|content-type|location|set-cookie|host|cookie|authorization|retry-after)/
/** Fields that the gateway adds, and OpenIG does not; and cookies of sessions, whose names and values differ. */
const OWN = /^(?:x-forwarded-|x-vendor-transactionid:|set-cookie: (?:JSESSIONID|gateway-session)=)/

/** Lines that only one of the outcomes has: those of OpenIG with a minus before them, those of the gateway with a plus. */
export function differences(ours: CaseOutcome, theirs: CaseOutcome): string[] {
  const [own, real] = [linesOf(ours, theirs), linesOf(theirs, theirs)]
  return [
    ...real.filter((line) => !own.includes(line)).map((line) => `- ${line}`),
    ...own.filter((line) => !real.includes(line)).map((line) => `+ ${line}`),
  ]
}

/** Each line begins with the position of its message, so that equal lines of two messages differ. */
function linesOf(outcome: CaseOutcome, theirs: CaseOutcome): string[] {
  const answers = outcome.answers.flatMap(({ status, headers, body }, at) => {
    // Errors of OpenIG itself have no body; those of the gateway have a text.
    const isOwnError = status >= 400 && theirs.answers[at]?.body === ''
    const content = isOwnError ? [] : [...fields(headers), `body ${JSON.stringify(body)}`]
    return [`status ${status}`, ...content].map((line) => `response ${at + 1}: ${line}`)
  })
  const upstream = outcome.upstream.flatMap(({ line, headers, body }, at) =>
    [line, ...fields(headers), `body ${JSON.stringify(body)}`].map((text) => `request ${at + 1}: ${text}`),
  )
  return [...answers, ...upstream]
}

/** With a number before equal lines after the first. */
function fields(lines: readonly string[]): string[] {
  // Tomcat writes media types without a blank.
  const compared = lines
    .filter((line) => COMPARED.test(line) && !OWN.test(line))
    .map((line) => line.replace('; charset', ';charset'))
  return compared.map((line, at) => {
    const before = compared.slice(0, at).filter((other) => other === line).length
    return before === 0 ? line : `${line} (${before + 1})`
  })
}
