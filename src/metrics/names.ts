const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

/** Names of labels that are valid: most series have those of others. */
const checked = new Set<string>()
/** Beyond it they are checked each time. */
const MOST_CHECKED = 1_000

/** Throws for names that are invalid in the Prometheus text format: a single one fails the whole scrape. */
export function checkNames(name: string, labels: Readonly<Record<string, string>>): void {
  if (!NAME.test(name)) {
    throw new Error(`expected the name of a metric, of letters, digits and "_", found ${JSON.stringify(name)}`)
  }
  for (const label in labels) {
    if (checked.has(label)) continue
    if (!LABEL.test(label) || label === 'quantile' || label === 'le') {
      throw new Error(`the metric ${name} can not have a label ${JSON.stringify(label)}; use another name`)
    }
    if (checked.size < MOST_CHECKED) checked.add(label)
  }
}
