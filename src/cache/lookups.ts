/** What there is to know about a question on its way. */
export interface Course {
  /** The news that had been heard when the question was asked. */
  since: number
  /** Whether news can have been missed since, or too many came to remember them: the answer must not be kept. */
  outdated: boolean
}

/** Marks heard while questions are on their way; beyond this number everything on its way counts as outdated. */
const MOST_MARKS = 20_000

/**
 * Questions on their way, one for each key however many wait for it, and the news that cross them: an answer can have
 * been given before, and arrive after, the news that end it (threats B57).
 */
export class Lookups<R> {
  readonly #byKey = new Map<string, Promise<R>>()
  readonly #courses = new Set<Course>()
  readonly #heard = new Map<string, number>()
  #news = 0

  get size(): number {
    return this.#courses.size
  }

  /** The question for a key that is on its way already. */
  get(key: string): Promise<R> | null {
    return this.#byKey.get(key) ?? null
  }

  /** Asks; failures are told to all who wait and not remembered (threats B61). */
  start(key: string, ask: (course: Course) => Promise<R>): Promise<R> {
    const course: Course = { since: this.#news, outdated: false }
    this.#courses.add(course)
    const answer = ask(course).finally(() => {
      this.#courses.delete(course)
      if (this.#byKey.get(key) === answer) this.#byKey.delete(key)
      if (this.#courses.size === 0) this.#heard.clear()
    })
    this.#byKey.set(key, answer)
    return answer
  }

  /** News about what bears a mark. */
  hear(mark: string): void {
    this.#news++
    if (this.#courses.size === 0) return
    if (this.#heard.size >= MOST_MARKS) {
      for (const course of this.#courses) course.outdated = true
      this.#heard.clear()
    }
    this.#heard.set(mark, this.#news)
  }

  /** Whether there were news, since the question was asked, about something with one of these marks. */
  crossed(course: Course, marks: readonly string[]): boolean {
    if (this.#heard.size === 0) return false
    return marks.some((mark) => (this.#heard.get(mark) ?? -1) > course.since)
  }

  /** From now on the question counts as asked anew. */
  renew(course: Course): void {
    course.since = this.#news
  }

  /** What is on its way is outdated, and nobody else may wait for it. */
  abandon(): void {
    for (const course of this.#courses) course.outdated = true
    this.#byKey.clear()
  }
}
