// Tasks of kinds answer and command: [given], [[answer]], [[command]].
#include "course/load.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "family/expression.h"

// ---- given ------------------------------------------------------------------------------------

static void load_given(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "given");
    course_toml_take_all(table);
    course_given *given = course_toml_alloc(toml, ((table ? table->count : 0) + 1) * sizeof *given);
    if (!given) return;
    size_t count = 0;
    for (course_toml_value *m = table ? table->first : NULL; m && !toml->status; m = m->next) {
        if (!course_is_identifier(m->key))
            course_toml_fail_key(toml, m, "a given number's name is letters, digits and _: \"%s\"", m->key);
        given[count++] = (course_given){m->key, course_toml_number(toml, table, m->key, 0)};
    }
    task->given = given;
}

static kz_status evaluate(const course_task *task, const char *text, double *value, kz_error *error) {
    enum { MOST = 64 };
    family_name_value names[MOST + 1] = {{NULL, 0}};
    for (size_t i = 0; i < MOST && task->given[i].name; i++)
        names[i] = (family_name_value){task->given[i].name, task->given[i].value};
    const char *rest = text;
    kz_status status = family_evaluate(&rest, names, value, error);
    rest += strspn(rest, " \t");
    if (!status && *rest) return base_fail(error, KZ_SYNTAX, "expected the end at \"%s\"", rest);
    return status;
}

// ---- values -----------------------------------------------------------------------------------

// Letters, digits, _ - . and blanks: what cannot be meant as arithmetic.
static bool is_words(const char *text) {
    if (!isalpha((unsigned char)*text)) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_-. ,:%", *text)) return false;
    return true;
}

// A list becomes words separated by spaces.
static const char *joined(course_toml *toml, course_toml_value *list) {
    base_text text = {0};
    for (course_toml_value *e = list->first; e && !toml->status; e = e->next) {
        const char *word = course_toml_as_expression(toml, e);
        if (word && (!*word || strpbrk(word, " \t\n")))
            course_toml_fail(toml, e, "each element of a list is one word or number");
        if (word) base_text_add(&text, "%s%s", text.length ? " " : "", word);
    }
    const char *kept = text.length ? base_arena_string(toml->arena, text.data, text.length) : NULL;
    if (!kept && !toml->status) course_toml_fail(toml, list, "an empty list is no answer");
    base_text_free(&text);
    return kept;
}

static void load_value(course_toml *toml, course_toml_value *value, const course_task *task,
                       course_answer *a) {
    if (!value) return;
    if (value->kind == COURSE_TOML_ARRAY) {
        a->value = joined(toml, value);
        return;
    }
    a->value = course_toml_as_expression(toml, value);
    if (!a->value || a->choices) return; // a choice is a word, whatever it looks like
    double number;
    kz_error why = {0};
    a->is_number = evaluate(task, a->value, &number, &why) == KZ_OK;
    if (!a->is_number && !is_words(a->value))
        course_toml_fail(toml, value, "\"%s\" is neither a word nor an expression: %s", a->value,
                         why.message);
}

static const char *const *load_choices(course_toml *toml, course_toml_value *table) {
    if (!course_toml_get(toml, table, "choices")) return NULL;
    const char *const *choices = course_toml_strings(toml, table, "choices");
    if (!toml->status && (!choices[0] || !choices[1]))
        course_toml_fail(toml, course_toml_get(toml, table, "choices"), "a choice has two words or more");
    return choices;
}

static void check_choice(course_toml *toml, course_toml_value *table, const course_answer *a) {
    if (!a->choices || !a->value || toml->status || course_is_one_of(a->value, a->choices)) return;
    course_toml_fail(toml, course_toml_get(toml, table, "value"), "\"%s\" is none of the choices", a->value);
}

static void load_common(course_toml *toml, course_toml_value *table, course_answer *a) {
    course_toml_value *list = course_toml_tables(toml, table, "common");
    if (!list) return;
    course_common_error *common = course_toml_alloc(toml, (list->count + 1) * sizeof *common);
    if (!common) return;
    for (course_toml_value *e = list->first; e && !toml->status; e = e->next) {
        course_toml_value *value = course_toml_get(toml, e, "value");
        if (!value) course_toml_fail(toml, e, "value = is missing here: the common mistake");
        const char *text = value && value->kind == COURSE_TOML_ARRAY ? joined(toml, value)
                                                                     : course_toml_as_expression(toml, value);
        common[a->common_count++] = (course_common_error){text, course_toml_need_string(toml, e, "says")};
    }
    a->common = common;
}

// ---- found values -------------------------------------------------------------------------------

static const course_command *find_command(const course_task *task, const char *name) {
    for (size_t i = 0; i < task->command_count; i++)
        if (strcmp(task->commands[i].name, name) == 0) return &task->commands[i];
    return NULL;
}

static void load_source(course_toml *toml, course_toml_value *table, const course_task *task,
                        course_answer *a) {
    a->run = course_toml_string(toml, table, "run", NULL);
    a->find = course_toml_string(toml, table, "find", NULL);
    a->command = course_toml_string(toml, table, "command", NULL);
    if (toml->status) return;
    if (a->command && !find_command(task, a->command))
        course_toml_fail(toml, course_toml_get(toml, table, "command"),
                         "there is no [[command]] named \"%s\"", a->command);
    if (a->run && a->command) course_toml_fail(toml, table, "an answer has run or command, not both");
    if ((a->run || a->command) && !a->find)
        course_toml_fail(toml, table, "find = is missing here: what to look for in the output");
    if (a->find && !a->run && !a->command)
        course_toml_fail(toml, table,
                         "find needs run (a command of the grader's) or command (of the learner's)");
    if (a->find) course_load_pattern(toml, course_toml_get(toml, table, "find"), a->find, 1);
    if (!toml->status && !a->value && !a->find)
        course_toml_fail(toml, table, "nothing says the right value: give value =, or run = and find =");
    if (!toml->status && a->run && a->value)
        course_toml_fail(toml, table, "value says the right answer already: run finds another; keep one");
}

// ---- answers and commands --------------------------------------------------------------------------

static void load_answer(course_toml *toml, course_toml_value *table, course_task *task, course_answer *a) {
    a->name = course_toml_need_string(toml, table, "name");
    if (toml->status) return;
    if (!course_is_identifier(a->name))
        course_toml_fail(toml, course_toml_get(toml, table, "name"), "a name is letters, digits and _");
    for (size_t i = 0; i < task->answer_count; i++)
        if (strcmp(task->answers[i].name, a->name) == 0)
            course_toml_fail(toml, course_toml_get(toml, table, "name"), "there are two answers \"%s\"",
                             a->name);
    a->question = course_toml_string(toml, table, "question", NULL);
    a->choices = load_choices(toml, table);
    load_value(toml, course_toml_get(toml, table, "value"), task, a);
    check_choice(toml, table, a);
    a->tolerance = course_toml_number(toml, table, "tolerance", 0);
    if (!(a->tolerance >= 0 && a->tolerance < 1))
        course_toml_fail(toml, course_toml_get(toml, table, "tolerance"),
                         "tolerance is relative: 0.05 is five in a hundred; 0 to below 1");
    load_source(toml, table, task, a);
    load_common(toml, table, a);
}

static void load_commands(course_toml *toml, course_task *task) {
    course_toml_value *tables = course_toml_tables(toml, toml->root, "command");
    if (!tables) return;
    course_command *commands = course_toml_alloc(toml, tables->count * sizeof *commands);
    if (!commands) return;
    task->commands = commands;
    for (course_toml_value *t = tables->first; t && !toml->status; t = t->next) {
        course_command *c = &commands[task->command_count];
        c->name = course_toml_need_string(toml, t, "name");
        if (toml->status) return;
        if (!course_is_identifier(c->name))
            course_toml_fail(toml, course_toml_get(toml, t, "name"), "a name is letters, digits and _");
        if (find_command(task, c->name))
            course_toml_fail(toml, course_toml_get(toml, t, "name"), "there are two commands \"%s\"",
                             c->name);
        c->must = course_toml_strings(toml, t, "must");
        int64_t code = course_toml_integer(toml, t, "exit", 0);
        if (code < 0 || code > 255)
            course_toml_fail(toml, course_toml_get(toml, t, "exit"), "an exit code is 0 to 255");
        c->exit_code = (int)code;
        c->seconds = course_toml_number(toml, t, "seconds", 60);
        if (!(c->seconds > 0 && c->seconds <= 600))
            course_toml_fail(toml, course_toml_get(toml, t, "seconds"), "seconds is above 0, at most 600");
        task->command_count++;
    }
}

void course_load_answers(course_toml *toml, course_task *task) {
    load_given(toml, task);
    if (task->kind == COURSE_COMMAND) load_commands(toml, task);
    course_toml_value *tables = course_toml_tables(toml, toml->root, "answer");
    if (toml->status) return;
    if (!tables && !task->command_count) {
        course_toml_fail(toml, NULL, "there is no [[answer]]%s: nothing would be checked",
                         task->kind == COURSE_COMMAND ? " and no [[command]]" : "");
        return;
    }
    if (task->kind == COURSE_COMMAND && !task->command_count)
        course_toml_fail(toml, NULL, "kind = \"command\" needs a [[command]]; without one it is kind answer");
    if (!tables) return;
    course_answer *answers = course_toml_alloc(toml, tables->count * sizeof *answers);
    task->answers = answers;
    for (course_toml_value *t = tables->first; t && answers && !toml->status; t = t->next) {
        load_answer(toml, t, task, &answers[task->answer_count]);
        task->answer_count++;
    }
}
