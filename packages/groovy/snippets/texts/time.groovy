import java.time.*
[Instant.EPOCH, Instant.ofEpochMilli(1500), Instant.ofEpochSecond(1700000000), Instant.parse('2024-02-29T12:34:56.789Z')]
----
java.time.Instant.ofEpochSecond(1, 5).toString()
----
java.time.Instant.ofEpochMilli(-1).toString()
----
java.time.Instant.parse('nope')
----
def i = java.time.Instant.ofEpochSecond(1700000000); [i.plusSeconds(60), i.minusSeconds(1), i.plusMillis(5), i.toEpochMilli(), i.epochSecond, i.nano, i.isBefore(i.plusNanos(1)), i == java.time.Instant.ofEpochSecond(1700000000), i < i.plusSeconds(1)]
----
import java.time.temporal.ChronoUnit
def i = java.time.Instant.ofEpochSecond(1700000000); [i.plus(2, ChronoUnit.HOURS), i.minus(1, ChronoUnit.DAYS), i.truncatedTo(ChronoUnit.HOURS), ChronoUnit.SECONDS.between(i, i.plusSeconds(90)), ChronoUnit.MINUTES.between(i, i.plusSeconds(90))]
----
import java.time.Duration
[Duration.ofSeconds(90), Duration.ofMinutes(61), Duration.ofMillis(1500), Duration.ZERO, Duration.ofDays(2), Duration.ofSeconds(-90), Duration.ofMillis(-500), Duration.parse('PT1H30M'), Duration.parse('P1DT2H')]
----
def d = java.time.Duration.ofSeconds(3661); [d.toHours(), d.toMinutes(), d.seconds, d.toMillis(), d.plus(java.time.Duration.ofSeconds(1)), d.isNegative(), d > java.time.Duration.ofSeconds(1), d.negated()]
----
java.time.Duration.between(java.time.Instant.ofEpochSecond(10), java.time.Instant.ofEpochSecond(75)).toString()
----
java.time.Duration.parse('1h')
----
import java.time.*
def z = Instant.ofEpochSecond(1700000000).atZone(ZoneId.of('UTC')); [z, z.year, z.monthValue, z.dayOfMonth, z.hour, z.minute, z.second, z.toInstant(), z.toLocalDate(), z.toLocalDateTime()]
----
import java.time.*
[Instant.ofEpochSecond(1700000000).atZone(ZoneId.of('Europe/Berlin')), Instant.ofEpochSecond(1690000000).atZone(ZoneId.of('America/New_York')), Instant.ofEpochSecond(0).atOffset(ZoneOffset.ofHours(2)), ZonedDateTime.ofInstant(Instant.EPOCH, ZoneOffset.UTC)]
----
import java.time.*
[LocalDate.of(2024, 1, 31).plusMonths(1), LocalDate.of(2024, 2, 29).plusYears(1), LocalDate.of(2024, 12, 31).plusDays(1), LocalDate.parse('2024-03-01').minusDays(1), LocalDate.of(2024, 3, 1).dayOfYear]
----
import java.time.*
[LocalDateTime.of(2024, 1, 2, 3, 4), LocalDateTime.parse('2024-01-02T03:04:05'), LocalDateTime.of(2024, 1, 2, 3, 4).atZone(ZoneId.of('Europe/Paris')), LocalDateTime.of(2024, 1, 2, 3, 4).toInstant(ZoneOffset.UTC)]
----
import java.time.*
import java.time.format.*
def z = Instant.ofEpochSecond(1700000000, 123456789).atZone(ZoneId.of('UTC')); [z.format(DateTimeFormatter.ofPattern('yyyy-MM-dd HH:mm:ss')), z.format(DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSSX")), DateTimeFormatter.ofPattern('dd.MM.yy').withZone(ZoneOffset.UTC).format(Instant.EPOCH), DateTimeFormatter.ISO_INSTANT.format(Instant.EPOCH), DateTimeFormatter.RFC_1123_DATE_TIME.format(z)]
----
import java.time.*
import java.time.format.*
[LocalDate.parse('03/04/2024', DateTimeFormatter.ofPattern('dd/MM/yyyy')), LocalDateTime.parse('2024-01-02 03:04', DateTimeFormatter.ofPattern('yyyy-MM-dd HH:mm')), ZonedDateTime.parse('2024-01-02T03:04:05+02:00'), OffsetDateTime.parse('2024-01-02T03:04:05Z')]
----
java.time.LocalDate.parse('2024-13-01')
----
java.time.ZoneId.of('Nowhere/City')
----
[new Date(0).time, new Date(1700000000000L).toInstant(), new Date(5) == new Date(5), new Date(5) < new Date(6), new Date(5).before(new Date(6)), Date.from(java.time.Instant.ofEpochSecond(5)).time]
----
def f = new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"); f.setTimeZone(TimeZone.getTimeZone('UTC')); [f.format(new Date(1700000000123L)), f.parse('2024-01-02T03:04:05.678Z').time]
----
def f = new java.text.SimpleDateFormat('EEE, dd MMM yyyy hh:mm a', Locale.US); f.timeZone = TimeZone.getTimeZone('UTC'); [f.format(new Date(1700000000123L)), f.parse('Tue, 14 Nov 2023 10:13 PM').time]
----
new java.text.SimpleDateFormat('yyyy-MM-dd').parse('x')
----
import java.util.concurrent.TimeUnit
[TimeUnit.SECONDS.toMillis(5), TimeUnit.HOURS.toMinutes(2), TimeUnit.MILLISECONDS.toSeconds(5999), TimeUnit.DAYS.toHours(1), TimeUnit.valueOf('SECONDS'), TimeUnit.SECONDS.convert(2, TimeUnit.MINUTES)]
----
[System.currentTimeMillis() > 1700000000000L, System.currentTimeMillis().class.simpleName, System.nanoTime() > 0, new Date().time > 0, java.time.Instant.now() > java.time.Instant.EPOCH, System.lineSeparator()]
----
import java.time.*
def t = LocalTime.of(8, 30); [t.toString(), t.hour, t.minute, t.plusMinutes(45).toString(), t.minusHours(9).toString(), t.isBefore(LocalTime.NOON), t.isAfter(LocalTime.MIDNIGHT), t <=> LocalTime.of(8, 30), t == LocalTime.parse('08:30'), t.toSecondOfDay()]
----
import java.time.*
[LocalTime.parse('18:00:05.25').toString(), LocalTime.of(1, 2, 3).toString(), LocalTime.parse('07:15').plus(Duration.ofHours(20)).toString()]
----
import java.time.*
LocalTime.parse('25:00')
----
import java.time.*
def d = LocalDate.of(2026, 11, 16); [d.dayOfWeek.name(), d.dayOfWeek.value, d.month.toString(), d.month.value, d.dayOfWeek.plus(6).toString(), d.dayOfWeek == DayOfWeek.MONDAY, d.dayOfWeek in [DayOfWeek.SATURDAY, DayOfWeek.SUNDAY]]
----
import java.time.*
[DayOfWeek.of(7).toString(), Month.valueOf('MAY').value, DayOfWeek.values().size(), Month.DECEMBER.plus(1).toString()]
----
import java.time.*
ZonedDateTime.parse('2026-11-16T05:30:00+01:00').with { [it.toLocalTime().toString(), it.dayOfWeek.toString()] }
----
import java.time.*
LocalDateTime.of(2026, 1, 2, 3, 4).with { [it.toLocalTime().toString(), it.month.toString()] }
