"""A small whole file of every format, shown in the documentation and read by its test."""

EXAMPLES = {
    "alce": """\
{
  "args": {"model": "example-7b", "shot": 2, "ndoc": 2, "seed": 42},
  "data": [
    {
      "id": "q1",
      "question": "How high is the Zugspitze?",
      "output": "The Zugspitze is 2,962 metres high [1]. It is Germany's highest peak [1][2].",
      "docs": [
        {"title": "Zugspitze", "text": "At 2,962 m the Zugspitze is the highest peak of Germany."},
        {"title": "Wetterstein", "text": "The Wetterstein mountains include the Zugspitze."}
      ],
      "qa_pairs": [{"question": "How high is it?", "short_answers": ["2,962 metres", "2962 m"]}]
    }
  ]
}
""",
    "alce-citations": """\
{
  "asqa": {
    "example-7b.json": {
      "q1": {
        "id": "q1",
        "question": "How high is the Zugspitze?",
        "output": "The Zugspitze is 2,962 metres high [1].",
        "overall_recall_score": 1.0,
        "overall_precision_score": 1.0,
        "sentences": [
          {
            "text": "The Zugspitze is 2,962 metres high [1].",
            "sentence_recall_score": 1,
            "sentence_precision_score": 1,
            "citations": [
              {
                "title": "Zugspitze",
                "text": "At 2,962 m the Zugspitze is the highest peak of Germany.",
                "citation_precision_score": 2
              }
            ]
          }
        ],
        "automatic_recall_scores": [1],
        "automatic_precision_scores": [1],
        "automatic_citation_precision_scores": [[2]]
      }
    }
  }
}
""",
    "alce-utility": """\
{
  "eli5": {
    "example-7b.json": {
      "q7": {
        "id": "q7",
        "question": "Why is the sky blue?",
        "output": "Air scatters short waves of light more than long ones.",
        "utility_score": 4,
        "automatic_correctness_scores": [true, false, true]
      }
    }
  }
}
""",
    "aqa-predictions": """\
question,answer,attribution,passage
how high is the zugspitze,"2,962 m",p17,"At 2,962 m the Zugspitze is the highest peak of Germany."
who painted the night watch,Rembrandt,,
""",
    "aqa-ratings": """\
system_name,question,answer,attribution,passage,human_rating,auto_ais,nli_score
Reader-1,who painted the night watch,Rembrandt,p3,"Rembrandt finished The Night Watch.",Y,Y,0.97
Reader-2,who painted the night watch,Frans Hals,p9,"Hals painted civic guards, too.",N,N,0.04
""",
    "attest": (
        '{"question": {"id": "q1", "text": "How high is the Zugspitze?", "references": '
        '{"answers": [["2,962 m"]]}}, "system": "example-7b", "run": "42", "output": '
        '"It is 2,962 m high [1].", "passages": [{"n": 1, "title": "Zugspitze", "text": '
        '"At 2,962 m the Zugspitze is the highest peak of Germany."}]}\n'
    ),
    "judgments": """\
study,system,run,question_id,unit,dimension,judge,judge_kind,value,score,skipped_reason,seconds,note,created
peaks,example-7b,42,q1,s1,citation_recall,rater-1,human,yes,,,21.5,,2024-05-01T12:30:00+00:00
peaks,example-7b,42,q1,s1.c1,citation_support,rater-1,human,,,cut off,4.0,,2024-05-01T12:30:25+00:00
""",
    "judgments-jsonl": (
        '{"study": "peaks", "system": "example-7b", "run": "42", "question_id": "q1", "unit": '
        '"s1", "dimension": "citation_recall", "judge": "rater-1", "judge_kind": "human", "value": '
        '"yes", "score": null, "skipped_reason": "", "seconds": 21.5, "note": "", "created": '
        '"2024-05-01T12:30:00+00:00"}\n'
    ),
}
